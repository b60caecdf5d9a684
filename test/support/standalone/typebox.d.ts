// The types of TypeBox that the declarations of the package use, with the same results for the schemas we build.

export interface TSchema {}
export interface TString extends TSchema {
  '~kind': 'String';
  type: 'string';
}
export interface TNumber extends TSchema {
  '~kind': 'Number';
  type: 'number';
}
export interface TInteger extends TSchema {
  '~kind': 'Integer';
  type: 'integer';
}
export interface TBoolean extends TSchema {
  '~kind': 'Boolean';
  type: 'boolean';
}
export interface TArray<Item extends TSchema = TSchema> extends TSchema {
  '~kind': 'Array';
  type: 'array';
  items: Item;
}
export interface TProperties extends TSchema {
  [name: PropertyKey]: TSchema;
}
export interface TObject<Properties extends TProperties = TProperties> extends TSchema {
  '~kind': 'Object';
  type: 'object';
  properties: Properties;
  required: string[] | undefined;
}
export interface TRecord<Key extends string = string, Value extends TSchema = TSchema> extends TSchema {
  '~kind': 'Record';
  type: 'object';
  patternProperties: { [_ in Key]: Value };
}
/** A schema of values of this type. */
export interface TUnsafe<Type = unknown> extends TSchema {
  '~unsafe': Type;
}
export type TOptional<Type extends TSchema = TSchema> = Type & { '~optional': true };

type OptionalKeys<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { '~optional': true } ? Key : never;
}[keyof Properties];
type StaticObject<
  Properties,
  All = { [Key in Exclude<keyof Properties, OptionalKeys<Properties>>]: Static<Properties[Key]> } & {
    [Key in OptionalKeys<Properties>]?: Static<Properties[Key]>;
  },
  // a parameter, so that the compiler writes the fields and not this name
  Result = keyof Properties extends never ? object : { [Key in keyof All]: All[Key] },
> = Result;

/** The type of the values of a schema. */
export type Static<Type> = Type extends { '~unsafe': infer Values }
  ? Values
  : Type extends TString
    ? string
    : Type extends TInteger | TNumber
      ? number
      : Type extends TBoolean
        ? boolean
        : Type extends TArray<infer Item>
          ? Static<Item>[]
          : Type extends TObject<infer Properties>
            ? StaticObject<Properties>
            : Type extends TRecord<string, infer Value>
              ? Record<string, Static<Value>>
              : unknown;
/** As the compiler writes `Static<Type>` of a type that is not known yet. */
export type StaticType<_Stack, _Direction, _Context, _This, Type> = Static<Type>;

interface Options {
  [key: PropertyKey]: unknown;
}
export declare function Optional<Type extends TSchema>(schema: Type): TOptional<Type>;
export declare function _Object_<Properties extends TProperties>(
  properties: Properties,
  options?: Options,
): TObject<Properties>;
export declare const Type: {
  Array<Item extends TSchema>(items: Item, options?: Options): TArray<Item>;
  Boolean(options?: Options): TBoolean;
  Integer(options?: Options): TInteger;
  Number(options?: Options): TNumber;
  Object: typeof _Object_;
  Optional: typeof Optional;
  Record<Value extends TSchema>(key: TSchema, value: Value, options?: Options): TRecord<string, Value>;
  String(options?: Options): TString;
  Unsafe<Type>(schema: TSchema): TUnsafe<Type>;
};
