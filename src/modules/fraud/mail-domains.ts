/** Well-known services for throw-away addresses; option `fraud.disposableDomains` adds more. */
export const DISPOSABLE: readonly string[] = [
  '10minutemail.com', 'burnermail.io', 'dispostable.com', 'emailondeck.com', 'fakeinbox.com', 'getnada.com', 'guerrillamail.com', 'inboxkitten.com',
  'mailcatch.com', 'maildrop.cc', 'mailinator.com', 'mailnesia.com', 'mintemail.com', 'mohmal.com', 'sharklasers.com', 'spamgourmet.com', 'temp-mail.org',
  'tempmail.com', 'throwawaymail.com', 'trashmail.com', 'yopmail.com',
];

/** Providers whose customers share a domain without knowing each other; option `fraud.freeMailDomains` adds more. */
export const FREE_MAIL: readonly string[] = [
  '126.com', '163.com', 'aol.com', 'att.net', 'bluewin.ch', 'bol.com.br', 'btinternet.com', 'comcast.net', 'cox.net', 'fastmail.com', 'free.fr', 'freenet.de',
  'gmail.com', 'gmx.at', 'gmx.ch', 'gmx.com', 'gmx.de', 'gmx.net', 'googlemail.com', 'hey.com', 'hotmail.co.uk', 'hotmail.com', 'hotmail.de', 'hotmail.fr',
  'hotmail.it', 'icloud.com', 'laposte.net', 'libero.it', 'live.co.uk', 'live.com', 'live.fr', 'mac.com', 'mail.com', 'mail.ru', 'mailbox.org', 'me.com',
  'msn.com', 'naver.com', 'orange.fr', 'outlook.com', 'outlook.de', 'outlook.fr', 'pm.me', 'posteo.de', 'proton.me', 'protonmail.com', 'qq.com', 'rediffmail.com',
  'sbcglobal.net', 'seznam.cz', 'sfr.fr', 'sky.com', 't-online.de', 'tuta.com', 'tutanota.com', 'uol.com.br', 'verizon.net', 'virgilio.it', 'wanadoo.fr', 'web.de',
  'wp.pl', 'yahoo.ca', 'yahoo.co.in', 'yahoo.co.jp', 'yahoo.co.uk', 'yahoo.com', 'yahoo.com.br', 'yahoo.de', 'yahoo.es', 'yahoo.fr', 'yahoo.it', 'yandex.com',
  'yandex.ru', 'ymail.com', 'zoho.com',
];
