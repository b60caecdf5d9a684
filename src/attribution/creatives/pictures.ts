import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { HostFile } from '../../../adapters/host.js';
import { PICTURE_TYPES, readPicture, type PictureType } from '../../core/picture.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';

/** The largest picture that can be uploaded. */
export const PICTURE_BYTES = 5 * 1024 * 1024;
const SIDE_MAX = 10_000;
const NAME = /^[0-9a-f]{40}\.(?:png|jpg|gif|webp)$/u;

export interface StoredPicture {
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly type: PictureType;
}

/** Pictures that are uploaded for creatives: the host stores them, or the folder of the option `uploads`. */
export class Pictures {
  readonly #folder: string | null;

  constructor(private readonly app: Deps) {
    const { uploads } = app.options;
    this.#folder = uploads === undefined || uploads === '' ? null : resolve(uploads);
  }

  /** Errors: `uploads_off`, `picture_invalid`. */
  async store(bytes: Buffer): Promise<StoredPicture> {
    const { files } = this.app.host;
    if (!files && this.#folder === null) fail('uploads_off');
    const found = readPicture(bytes);
    if (found === null) return fail('picture_invalid');
    const { content, ...picture } = found;
    if (picture.width > SIDE_MAX || picture.height > SIDE_MAX)
      fail('picture_invalid', { message: 'A picture may be at most 10000 pixels wide and high.' });
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 40);
    const file: HostFile = { ...picture, name: `${hash}.${PICTURE_TYPES[picture.type]}`, bytes: content };
    const { url } = files ? await files.put(file) : await this.#save(file);
    return { ...picture, url };
  }

  /** The content of a picture in the folder. */
  async read(name: string): Promise<{ readonly type: PictureType; readonly bytes: Buffer }> {
    const type = (Object.keys(PICTURE_TYPES) as PictureType[]).find((each) =>
      name.endsWith(`.${PICTURE_TYPES[each]}`),
    );
    if (this.#folder === null || type === undefined || !NAME.test(name)) return fail('file_not_found');
    const bytes = await readFile(join(this.#folder, name)).catch(() => null);
    return bytes === null ? fail('file_not_found') : { type, bytes };
  }

  /** A picture appears under its name when it is complete. */
  async #save({ name, bytes }: HostFile): Promise<{ readonly url: string }> {
    const folder = this.#folder!; // store() has refused otherwise
    await mkdir(folder, { recursive: true });
    const part = join(folder, `.${randomUUID()}.part`);
    await writeFile(part, bytes, { mode: 0o644 });
    await rename(part, join(folder, name));
    return { url: `${this.app.host.site().url}${this.app.basePath}/files/${name}` };
  }
}
