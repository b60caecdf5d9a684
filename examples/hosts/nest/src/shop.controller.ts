import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Post,
  Req,
  Res,
  UnauthorizedException,
} from '@nestjs/common';
import type { AffiliateService } from 'affiliate-service';
import { AFFILIATES } from './affiliates.module.js';
import { signIn } from './people.js';

@Controller()
export class ShopController {
  constructor(@Inject(AFFILIATES) private readonly affiliates: AffiliateService) {}

  @Get()
  shop(): string {
    return '<form method="post" action="/buy"><input name="email" type="email"> <button>Buy for 100</button></form>';
  }

  @Post('login')
  @HttpCode(200)
  login(@Body() body: { email: string; password: string }, @Res({ passthrough: true }) res: ServerResponse) {
    const session = signIn(body.email, body.password);
    if (!session) throw new UnauthorizedException();
    res.appendHeader('Set-Cookie', `sid=${session}; Path=/; HttpOnly; SameSite=Lax`);
    return { signedIn: true };
  }

  @Post('buy')
  async buy(@Req() req: IncomingMessage, @Body() body: { email: string }) {
    await this.affiliates.conversions.record(req, {
      provider: 'shop',
      reference: randomUUID(),
      status: 'unpaid',
      order: { subtotal: '100.00' },
      customer: { email: body.email },
    });
    return { thanks: true };
  }
}
