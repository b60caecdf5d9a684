/** An invented affiliate: when they joined (days ago), how many clicks a day they send, and how. */
export interface DemoAffiliate {
  readonly login: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly joined: number;
  readonly clicks: number;
  readonly campaigns: readonly string[];
  readonly from: string;
  readonly note: string;
  readonly group?: 'Creators' | 'Press';
  /** `active` unless said otherwise. */
  readonly status?: 'pending' | 'inactive';
}

const person = (
  [first_name, last_name]: readonly [string, string],
  about: Omit<DemoAffiliate, 'login' | 'first_name' | 'last_name'>,
): DemoAffiliate => ({
  login: first_name.toLowerCase(),
  first_name,
  last_name,
  ...about,
});

/**
 * Alice is one of the accounts of the first page; the others are there so that lists,
 * charts and searches have something to show.
 */
export const AFFILIATES: readonly DemoAffiliate[] = [
  person(['Alice', 'Doe'], {
    joined: 120,
    clicks: 8,
    campaigns: ['newsletter', 'desk-tour', 'autumn', 'instagram'],
    from: 'https://alice-writes.example/desk-tour',
    note: 'I write about working from home.',
  }),
  person(['Noor', 'Haddad'], {
    joined: 117,
    clicks: 5,
    campaigns: ['video', 'description'],
    from: 'https://video.example/watch',
    note: 'Two videos a week about stationery.',
    group: 'Creators',
  }),
  person(['Jonas', 'Weber'], {
    joined: 112,
    clicks: 3.5,
    campaigns: ['blog', 'sidebar'],
    from: 'https://schreibtisch.example/lampen',
    note: 'A blog about lamps.',
    group: 'Creators',
  }),
  person(['Mei', 'Tanaka'], {
    joined: 105,
    clicks: 2.5,
    campaigns: ['pins'],
    from: 'https://boards.example/mei',
    note: '',
  }),
  person(['Lucia', 'Ferrer'], {
    joined: 100,
    clicks: 2.5,
    campaigns: ['historias', 'newsletter'],
    from: 'https://social.example/lucia',
    note: 'Photos of plants and desks.',
    group: 'Creators',
  }),
  person(['Tom', 'Okafor'], {
    joined: 94,
    clicks: 2,
    campaigns: ['review'],
    from: 'https://gearnotes.example/felt-mat',
    note: '',
  }),
  person(['Claire', 'Moreau'], {
    joined: 90,
    clicks: 2,
    campaigns: ['magazine'],
    from: 'https://revue.example/bureau',
    note: 'A monthly magazine.',
    group: 'Press',
  }),
  person(['Piet', 'de Vries'], {
    joined: 83,
    clicks: 1.2,
    campaigns: ['forum'],
    from: 'https://pens.example/thread/81',
    note: '',
  }),
  person(['Sana', 'Iqbal'], {
    joined: 76,
    clicks: 2,
    campaigns: ['newsletter'],
    from: 'https://letters.example/sana',
    note: 'A letter every Sunday.',
  }),
  person(['Marek', 'Nowak'], {
    joined: 70,
    clicks: 1.2,
    campaigns: ['blog'],
    from: 'https://biurko.example/fern',
    note: '',
  }),
  person(['Ines', 'Costa'], {
    joined: 64,
    clicks: 1.2,
    campaigns: ['stories'],
    from: 'https://social.example/ines',
    note: '',
  }),
  person(['Henrik', 'Lund'], {
    joined: 58,
    clicks: 1.2,
    campaigns: ['podcast'],
    from: 'https://podcast.example/episodes/44',
    note: 'A podcast about slow work.',
    group: 'Press',
  }),
  person(['Ayla', 'Demir'], {
    joined: 48,
    clicks: 1.2,
    campaigns: ['blog'],
    from: 'https://masa.example/defter',
    note: '',
  }),
  person(['Kofi', 'Mensah'], {
    joined: 39,
    clicks: 1.2,
    campaigns: ['video'],
    from: 'https://video.example/kofi',
    note: '',
  }),
  person(['Greta', 'Holm'], {
    joined: 30,
    clicks: 0.7,
    campaigns: ['school'],
    from: 'https://klass.example/tips',
    note: 'A page for teachers.',
  }),
  person(['Paolo', 'Ricci'], {
    joined: 96,
    clicks: 0.7,
    campaigns: ['coupons'],
    from: 'https://coupons.example/fernway',
    note: '',
    status: 'inactive',
  }),
  person(['Yara', 'Santos'], {
    joined: 2,
    clicks: 0,
    campaigns: [],
    from: '',
    note: 'I teach drawing online and my students ask what I use.',
    status: 'pending',
  }),
  person(['Emil', 'Berg'], {
    joined: 2,
    clicks: 0,
    campaigns: [],
    from: '',
    note: 'Desk setups, 12,000 readers a month.',
    status: 'pending',
  }),
  person(['Rosa', 'Klein'], {
    joined: 0,
    clicks: 0,
    campaigns: [],
    from: '',
    note: 'A small shop for plants next door. We send you people anyway.',
    status: 'pending',
  }),
];

export const BUYERS: readonly (readonly [first: string, last: string])[] = [
  ['Anna', 'Schmidt'],
  ['Ben', 'Carter'],
  ['Chloe', 'Martin'],
  ['Daniel', 'Kim'],
  ['Elif', 'Kaya'],
  ['Felix', 'Braun'],
  ['Grace', 'Lee'],
  ['Hugo', 'Silva'],
  ['Irene', 'Rossi'],
  ['Jack', 'Murphy'],
  ['Kira', 'Ivanova'],
  ['Liam', 'Walsh'],
  ['Maya', 'Patel'],
  ['Nils', 'Hansen'],
  ['Olga', 'Petrova'],
  ['Pedro', 'Gomez'],
  ['Quinn', 'Adams'],
  ['Rania', 'Saleh'],
  ['Sven', 'Eriksson'],
  ['Tara', 'Singh'],
];
