import { humanDate } from './dates.js';
import { NOTICES } from './mail-notice-texts.js';

/** The text in the language of the site, with `{name}` filled in; English where there is no translation. */
export type Say = (english: string, values?: Readonly<Record<string, string>>) => string;

type Translations = Readonly<Record<string, string>>;

const DE: Translations = {
  Login: 'Anmeldename',
  Email: 'E-Mail',
  Name: 'Name',
  Website: 'Website',
  Status: 'Status',
  'Payment email': 'E-Mail für Zahlungen',
  Note: 'Notiz',
  Commission: 'Provision',
  For: 'Für',
  Order: 'Bestellung',
  'Order total': 'Bestellwert',
  'Last 30 days': 'Letzte 30 Tage',
  'All time': 'Insgesamt',
  'Ready to pay or in the waiting period': 'Auszahlungsbereit oder in der Wartezeit',
  'New affiliate on {{site.name}}': 'Neuer Affiliate bei {{site.name}}',
  'An application waits for your decision.': 'Eine Bewerbung wartet auf Ihre Entscheidung.',
  'A new affiliate account was created.': 'Ein Affiliate-Konto wurde angelegt.',
  'Open the affiliate': 'Affiliate öffnen',
  'New affiliate sale: {{referral.amount_formatted}}': 'Neue Provision: {{referral.amount_formatted}}',
  '{{user.display_name}} (affiliate {{affiliate.id}}) earned a commission.':
    '{{user.display_name}} (Affiliate {{affiliate.id}}) hat eine Provision verdient.',
  'Open the program': 'Programm öffnen',
  'Open the commission': 'Provision öffnen',
  'See the status': 'Stand ansehen',
  'See the payment': 'Zahlung ansehen',
  'Your application at {{site.name}} is in review': 'Ihre Bewerbung bei {{site.name}} wird geprüft',
  'Hello {{user.display_name}},': 'Guten Tag, {{user.display_name}},',
  'Thank you for applying to the affiliate program of {{site.name}}. We are reviewing your application and will notify you of our decision.':
    'danke für Ihre Bewerbung beim Partnerprogramm von {{site.name}}. Wir prüfen sie und schreiben Ihnen, sobald entschieden ist.',
  'Visit {{site.name}}': '{{site.name}} besuchen',
  'Welcome to the affiliate program of {{site.name}}': 'Willkommen im Partnerprogramm von {{site.name}}',
  'Your affiliate account is active.': 'Ihr Affiliate-Konto ist aktiv.',
  'Your affiliate ID': 'Ihre Affiliate-Nummer',
  'Your link': 'Ihr Link',
  'Open your portal': 'Ihr Portal öffnen',
  'You earned a commission at {{site.name}}': 'Sie haben bei {{site.name}} eine Provision verdient',
  'You have earned a commission.': 'Sie haben eine Provision verdient.',
  'See your earnings': 'Ihre Verdienste ansehen',
  'Your payout from {{site.name}}': 'Ihre Auszahlung von {{site.name}}',
  'Your payout was sent.': 'Ihre Auszahlung ist unterwegs.',
  Amount: 'Betrag',
  Date: 'Datum',
  Reference: 'Zeichen',
  Commissions: 'Provisionen',
  'Paid to': 'Gezahlt an',
  'Sent by the affiliate program of {site}.': 'Gesendet vom Partnerprogramm von {site}.',
  'No more messages like this one': 'Keine Nachrichten wie diese mehr',
  'You get this mail because you take part in the affiliate program of {{site.name_with_url}}.':
    'Sie erhalten diese Mail vom Partnerprogramm von {{site.name_with_url}}, bei dem Sie sich angemeldet haben.',
  'You get this mail because you run the affiliate program of {{site.name_with_url}}.':
    'Sie erhalten diese Mail, weil Sie das Partnerprogramm von {{site.name_with_url}} betreiben.',
  'Your application at {site}': 'Ihre Bewerbung bei {site}',
  'Hello {name},': 'Guten Tag, {name},',
  'Hello,': 'Guten Tag,',
  'Thank you for your interest in the affiliate program of {site}. We cannot accept your application:':
    'danke für Ihr Interesse am Partnerprogramm von {site}. Wir können Ihre Bewerbung nicht annehmen:',
  'Your payment details at {site} were changed': 'Ihre Zahlungsdaten bei {site} wurden geändert',
  'On {day} the payment details of your affiliate account at {site} were changed. Future payments go to the new ones.':
    'am {day} wurden die Zahlungsdaten Ihres Affiliate-Kontos bei {site} geändert. Künftige Zahlungen gehen an die neuen.',
  'If it was you, no action is needed. If not, write to us at once, before the next payment is made.':
    'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, schreiben Sie uns sofort, vor der nächsten Zahlung.',
  'If it was you, no action is needed. If not, write to us at once ({help}), before the next payment is made.':
    'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, schreiben Sie uns sofort ({help}), vor der nächsten Zahlung.',
  'See your settings': 'Ihre Einstellungen ansehen',
};

const ES: Translations = {
  Login: 'Usuario',
  Email: 'Correo',
  Name: 'Nombre',
  Website: 'Sitio web',
  Status: 'Estado',
  'Payment email': 'Correo de pago',
  Note: 'Nota',
  Commission: 'Comisión',
  For: 'Por',
  Order: 'Pedido',
  'Order total': 'Total del pedido',
  'Last 30 days': 'Últimos 30 días',
  'All time': 'En total',
  'Ready to pay or in the waiting period': 'Listo para pagar o en periodo de espera',
  'New affiliate on {{site.name}}': 'Nuevo afiliado en {{site.name}}',
  'An application waits for your decision.': 'Una solicitud espera su decisión.',
  'A new affiliate account was created.': 'Se creó una cuenta de afiliado.',
  'Open the affiliate': 'Abrir el afiliado',
  'New affiliate sale: {{referral.amount_formatted}}': 'Nueva comisión: {{referral.amount_formatted}}',
  '{{user.display_name}} (affiliate {{affiliate.id}}) earned a commission.':
    '{{user.display_name}} (afiliado {{affiliate.id}}) ganó una comisión.',
  'Open the program': 'Abrir el programa',
  'Open the commission': 'Abrir la comisión',
  'See the status': 'Ver el estado',
  'See the payment': 'Ver el pago',
  'Your application at {{site.name}} is in review': 'Estamos revisando su solicitud en {{site.name}}',
  'Hello {{user.display_name}},': 'Hola, {{user.display_name}}:',
  'Thank you for applying to the affiliate program of {{site.name}}. We are reviewing your application and will notify you of our decision.':
    'Gracias por solicitar su entrada en el programa de afiliados de {{site.name}}. Estamos revisando su solicitud y le escribiremos en cuanto esté decidida.',
  'Visit {{site.name}}': 'Visitar {{site.name}}',
  'Welcome to the affiliate program of {{site.name}}':
    'Le damos la bienvenida al programa de afiliados de {{site.name}}',
  'Your affiliate account is active.': 'Su cuenta de afiliado está activa.',
  'Your affiliate ID': 'Su número de afiliado',
  'Your link': 'Su enlace',
  'Open your portal': 'Abrir su portal',
  'You earned a commission at {{site.name}}': 'Ganó una comisión en {{site.name}}',
  'You have earned a commission.': 'Ha ganado una comisión.',
  'See your earnings': 'Ver sus ganancias',
  'Your payout from {{site.name}}': 'Su pago de {{site.name}}',
  'Your payout was sent.': 'Su pago está en camino.',
  Amount: 'Importe',
  Date: 'Fecha',
  Reference: 'Referencia',
  Commissions: 'Comisiones',
  'Paid to': 'Pagado a',
  'Sent by the affiliate program of {site}.': 'Enviado por el programa de afiliados de {site}.',
  'No more messages like this one': 'No recibir más mensajes como este',
  'You get this mail because you take part in the affiliate program of {{site.name_with_url}}.':
    'Recibe este correo del programa de afiliados de {{site.name_with_url}}, en el que se inscribió.',
  'You get this mail because you run the affiliate program of {{site.name_with_url}}.':
    'Recibe este correo porque dirige el programa de afiliados de {{site.name_with_url}}.',
  'Your application at {site}': 'Su solicitud en {site}',
  'Hello {name},': 'Hola, {name}:',
  'Hello,': 'Hola:',
  'Thank you for your interest in the affiliate program of {site}. We cannot accept your application:':
    'Gracias por su interés en el programa de afiliados de {site}. No podemos aceptar su solicitud:',
  'Your payment details at {site} were changed': 'Sus datos de pago en {site} han cambiado',
  'On {day} the payment details of your affiliate account at {site} were changed. Future payments go to the new ones.':
    'El {day} se cambiaron los datos de pago de su cuenta de afiliado en {site}. Los próximos pagos irán a los nuevos.',
  'If it was you, no action is needed. If not, write to us at once, before the next payment is made.':
    'Si fue usted, no tiene que hacer nada. Si no, escríbanos enseguida, antes del próximo pago.',
  'If it was you, no action is needed. If not, write to us at once ({help}), before the next payment is made.':
    'Si fue usted, no tiene que hacer nada. Si no, escríbanos enseguida ({help}), antes del próximo pago.',
  'See your settings': 'Ver sus ajustes',
};

const FR: Translations = {
  Login: 'Identifiant',
  Email: 'E-mail',
  Name: 'Nom',
  Website: 'Site web',
  Status: 'Statut',
  'Payment email': 'E-mail de paiement',
  Note: 'Note',
  Commission: 'Commission',
  For: 'Pour',
  Order: 'Commande',
  'Order total': 'Total de la commande',
  'Last 30 days': '30 derniers jours',
  'All time': 'Au total',
  'Ready to pay or in the waiting period': 'Prêt à payer ou en période d’attente',
  'New affiliate on {{site.name}}': 'Nouvel affilié chez {{site.name}}',
  'An application waits for your decision.': 'Une candidature attend votre décision.',
  'A new affiliate account was created.': 'Un compte d’affilié a été créé.',
  'Open the affiliate': 'Ouvrir l’affilié',
  'New affiliate sale: {{referral.amount_formatted}}': 'Nouvelle commission : {{referral.amount_formatted}}',
  '{{user.display_name}} (affiliate {{affiliate.id}}) earned a commission.':
    '{{user.display_name}} (affilié {{affiliate.id}}) a gagné une commission.',
  'Open the program': 'Ouvrir le programme',
  'Open the commission': 'Ouvrir la commission',
  'See the status': 'Voir où en est la demande',
  'See the payment': 'Voir le paiement',
  'Your application at {{site.name}} is in review': 'Votre candidature chez {{site.name}} est à l’étude',
  'Hello {{user.display_name}},': 'Bonjour {{user.display_name}},',
  'Thank you for applying to the affiliate program of {{site.name}}. We are reviewing your application and will notify you of our decision.':
    'Merci pour votre candidature au programme d’affiliation de {{site.name}}. Nous l’étudions et vous écrirons dès que la décision sera prise.',
  'Visit {{site.name}}': 'Visiter {{site.name}}',
  'Welcome to the affiliate program of {{site.name}}':
    'Bienvenue dans le programme d’affiliation de {{site.name}}',
  'Your affiliate account is active.': 'Votre compte d’affilié est actif.',
  'Your affiliate ID': 'Votre numéro d’affilié',
  'Your link': 'Votre lien',
  'Open your portal': 'Ouvrir votre portail',
  'You earned a commission at {{site.name}}': 'Vous avez gagné une commission chez {{site.name}}',
  'You have earned a commission.': 'Vous avez gagné une commission.',
  'See your earnings': 'Voir vos gains',
  'Your payout from {{site.name}}': 'Votre paiement de {{site.name}}',
  'Your payout was sent.': 'Votre paiement est en route.',
  Amount: 'Montant',
  Date: 'Date',
  Reference: 'Référence',
  Commissions: 'Commissions',
  'Paid to': 'Payé à',
  'Sent by the affiliate program of {site}.': 'Envoyé par le programme d’affiliation de {site}.',
  'No more messages like this one': 'Ne plus recevoir de messages comme celui-ci',
  'You get this mail because you take part in the affiliate program of {{site.name_with_url}}.':
    'Vous recevez cet e-mail du programme d’affiliation de {{site.name_with_url}}, auquel vous vous êtes inscrit.',
  'You get this mail because you run the affiliate program of {{site.name_with_url}}.':
    'Vous recevez cet e-mail parce que vous gérez le programme d’affiliation de {{site.name_with_url}}.',
  'Your application at {site}': 'Votre candidature chez {site}',
  'Hello {name},': 'Bonjour {name},',
  'Hello,': 'Bonjour,',
  'Thank you for your interest in the affiliate program of {site}. We cannot accept your application:':
    'Merci de votre intérêt pour le programme d’affiliation de {site}. Nous ne pouvons pas accepter votre candidature :',
  'Your payment details at {site} were changed': 'Vos coordonnées de paiement chez {site} ont changé',
  'On {day} the payment details of your affiliate account at {site} were changed. Future payments go to the new ones.':
    'Le {day}, les coordonnées de paiement de votre compte d’affilié chez {site} ont été changées. Les prochains paiements iront aux nouvelles.',
  'If it was you, no action is needed. If not, write to us at once, before the next payment is made.':
    'Si c’était vous, vous n’avez rien à faire. Sinon, écrivez-nous tout de suite, avant le prochain paiement.',
  'If it was you, no action is needed. If not, write to us at once ({help}), before the next payment is made.':
    'Si c’était vous, vous n’avez rien à faire. Sinon, écrivez-nous tout de suite ({help}), avant le prochain paiement.',
  'See your settings': 'Voir vos réglages',
};

const AR: Translations = {
  Login: 'اسم الدخول',
  Email: 'البريد الإلكتروني',
  Name: 'الاسم',
  Website: 'الموقع',
  Status: 'الحالة',
  'Payment email': 'بريد الدفع',
  Note: 'ملاحظة',
  Commission: 'العمولة',
  For: 'مقابل',
  Order: 'الطلب',
  'Order total': 'قيمة الطلب',
  'Last 30 days': 'آخر 30 يومًا',
  'All time': 'الإجمالي',
  'Ready to pay or in the waiting period': 'جاهز للدفع أو في فترة الانتظار',
  'New affiliate on {{site.name}}': 'شريك جديد في {{site.name}}',
  'An application waits for your decision.': 'طلب انضمام ينتظر قرارك.',
  'A new affiliate account was created.': 'أُنشئ حساب شريك جديد.',
  'Open the affiliate': 'فتح صفحة الشريك',
  'New affiliate sale: {{referral.amount_formatted}}': 'عمولة جديدة: {{referral.amount_formatted}}',
  '{{user.display_name}} (affiliate {{affiliate.id}}) earned a commission.':
    'كسب {{user.display_name}} (الشريك {{affiliate.id}}) عمولة.',
  'Open the program': 'فتح البرنامج',
  'Open the commission': 'فتح العمولة',
  'See the status': 'عرض حالة الطلب',
  'See the payment': 'عرض الدفعة',
  'Your application at {{site.name}} is in review': 'طلبك في {{site.name}} قيد المراجعة',
  'Hello {{user.display_name}},': 'مرحبًا {{user.display_name}}،',
  'Thank you for applying to the affiliate program of {{site.name}}. We are reviewing your application and will notify you of our decision.':
    'شكرًا لتقديمك إلى برنامج التسويق بالعمولة في {{site.name}}. نراجع طلبك وسنكتب إليك فور البتّ فيه.',
  'Visit {{site.name}}': 'زيارة {{site.name}}',
  'Welcome to the affiliate program of {{site.name}}': 'أهلًا بك في برنامج التسويق بالعمولة في {{site.name}}',
  'Your affiliate account is active.': 'حسابك في البرنامج مفعّل.',
  'Your affiliate ID': 'رقمك في البرنامج',
  'Your link': 'رابطك',
  'Open your portal': 'فتح صفحتك',
  'You earned a commission at {{site.name}}': 'كسبت عمولة في {{site.name}}',
  'You have earned a commission.': 'لقد كسبت عمولة.',
  'See your earnings': 'عرض أرباحك',
  'Your payout from {{site.name}}': 'دفعتك من {{site.name}}',
  'Your payout was sent.': 'دفعتك في الطريق.',
  Amount: 'المبلغ',
  Date: 'التاريخ',
  Reference: 'المرجع',
  Commissions: 'العمولات',
  'Paid to': 'دُفع إلى',
  'Sent by the affiliate program of {site}.': 'أرسله برنامج التسويق بالعمولة في {site}.',
  'No more messages like this one': 'إيقاف الرسائل المماثلة',
  'You get this mail because you take part in the affiliate program of {{site.name_with_url}}.':
    'تصلك هذه الرسالة من برنامج التسويق بالعمولة في {{site.name_with_url}} الذي سجّلت فيه.',
  'You get this mail because you run the affiliate program of {{site.name_with_url}}.':
    'تصلك هذه الرسالة لأنك تدير برنامج التسويق بالعمولة في {{site.name_with_url}}.',
  'Your application at {site}': 'طلبك في {site}',
  'Hello {name},': 'مرحبًا {name}،',
  'Hello,': 'مرحبًا،',
  'Thank you for your interest in the affiliate program of {site}. We cannot accept your application:':
    'شكرًا لاهتمامك ببرنامج التسويق بالعمولة في {site}. لا يمكننا قبول طلبك:',
  'Your payment details at {site} were changed': 'تغيّرت بيانات الدفع الخاصة بك في {site}',
  'On {day} the payment details of your affiliate account at {site} were changed. Future payments go to the new ones.':
    'في {day} تغيّرت بيانات الدفع في حسابك في {site}. الدفعات القادمة تذهب إلى البيانات الجديدة.',
  'If it was you, no action is needed. If not, write to us at once, before the next payment is made.':
    'إن كنت أنت من غيّرها فلا يلزمك شيء. وإن لم تكن أنت فاكتب إلينا فورًا قبل الدفعة القادمة.',
  'If it was you, no action is needed. If not, write to us at once ({help}), before the next payment is made.':
    'إن كنت أنت من غيّرها فلا يلزمك شيء. وإن لم تكن أنت فاكتب إلينا فورًا ({help}) قبل الدفعة القادمة.',
  'See your settings': 'عرض إعداداتك',
};

/** Texts of mails that are not in English, by the first part of the site's language. */
export const TRANSLATED: Readonly<Record<string, Translations>> = Object.fromEntries(
  Object.entries({ de: DE, es: ES, fr: FR, ar: AR }).map(([language, texts], at) => [
    language,
    { ...texts, ...Object.fromEntries(Object.entries(NOTICES).map(([english, all]) => [english, all[at]!])) },
  ]),
);

const primary = (language: string | undefined): string => (language ?? 'en').toLowerCase().split(/[-_]/u)[0]!;

export function sayIn(language: string | undefined): Say {
  const texts = TRANSLATED[primary(language)] ?? {};
  return (english, values = {}) =>
    Object.entries(values).reduce(
      (text, [name, value]) => text.replaceAll(`{${name}}`, () => value),
      texts[english] ?? english,
    );
}

export const isRightToLeft = (language: string): boolean => primary(language) === 'ar';

/**
 * An amount or a name in a sentence or cell of the other direction: isolated and read in its own (Unicode
 * isolates, because many mail programs drop `<bdi>`).
 */
export const isolated = (text: string, language: string | undefined): string =>
  isRightToLeft(language ?? 'en') ? `\u2068${text}\u2069` : text;

/** The same for an amount, which always reads from left to right: `$ 7.00`. */
export const isolatedAmount = (text: string, language: string | undefined): string =>
  isRightToLeft(language ?? 'en') ? `\u2066${text}\u2069` : text;

/** A moment on the site's clock, as its language writes it. */
export const mailDate = (ms: number, { timeZone, language }: SiteClock): string =>
  TRANSLATED[primary(language)] === undefined
    ? humanDate(ms, timeZone)
    : new Intl.DateTimeFormat(primary(language), {
        dateStyle: 'medium',
        timeStyle: 'short',
        timeZone,
      }).format(ms);

/** The same without the time. */
export const mailDay = (ms: number, { timeZone, language }: SiteClock): string =>
  TRANSLATED[primary(language)] === undefined
    ? humanDate(ms, timeZone).split(',')[0]!
    : new Intl.DateTimeFormat(primary(language), { dateStyle: 'medium', timeZone }).format(ms);

interface SiteClock {
  readonly timeZone: string;
  readonly language?: string;
}
