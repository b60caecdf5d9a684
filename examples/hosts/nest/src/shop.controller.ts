import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Body, Controller, Get, Inject, Post, Redirect, Req, Res } from '@nestjs/common';
import type { AffiliateService } from 'affiliate-service';
import { AFFILIATES } from 'affiliate-service/nest';
import { People } from './people.js';

const page = (title: string, form: string) =>
  `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1>${form}`;

@Controller()
export class ShopController {
  constructor(
    @Inject(AFFILIATES) private readonly affiliates: AffiliateService,
    private readonly people: People,
  ) {}

  @Get()
  shop(): string {
    return page(
      'Shop',
      `<form method="post" action="/buy">
  <input name="email" type="email" aria-label="Your e-mail" required> <button>Buy for 100</button></form>`,
    );
  }

  @Get('login')
  signInPage(): string {
    return page(
      'Sign in',
      `<form method="post" action="/login">
  <p><label>E-mail <input name="email" type="email" required></label></p>
  <p><label>Password <input name="password" type="password" required></label></p>
  <p><button>Sign in</button></p></form>`,
    );
  }

  @Post('login')
  @Redirect('/', 303)
  login(@Body() body: { email: string; password: string }, @Res({ passthrough: true }) res: ServerResponse) {
    const cookie = this.people.signIn(body);
    if (!cookie) return { url: '/login' };
    res.appendHeader('Set-Cookie', cookie);
    return { url: '/' };
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
