import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AffiliateService } from 'affiliate-service';
import { consoleApp, portalApp } from 'affiliate-service/console';
import { AFFILIATES, AffiliatesModule } from './affiliates.module.js';
import { ShopController } from './shop.controller.js';

@Module({ imports: [AffiliatesModule], controllers: [ShopController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule);
const service = app.get<AffiliateService>(AFFILIATES);
// what is used before `listen` stands before Nest's body parser, which keeps no bytes for signatures
service.mount(app);
app.use('/affiliate-admin', consoleApp(service, { loginUrl: '/login' }));
app.use('/partners', portalApp(service, { path: '/partners', loginUrl: '/login' }));
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 3000));
