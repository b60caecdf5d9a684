import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Affiliates } from './affiliates.module.js';
import { PeopleModule } from './people.js';
import { ShopController } from './shop.controller.js';

@Module({ imports: [PeopleModule, Affiliates], controllers: [ShopController] })
export class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule);
// your sessions here: the program comes after what is used before `listen`, and before Nest's body parser
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 3000));
