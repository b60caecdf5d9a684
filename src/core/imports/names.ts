/** In the custom fields of an affiliate without a user: the name that the old system has. */
export const IMPORTED_NAME = 'full_name';
