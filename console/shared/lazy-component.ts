import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** A lazy component: the export `name` of the module that `load` imports. */
export const lazyComponent = <Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): LazyExoticComponent<ComponentType<PropsOf<Module[Name]>>> =>
  // an export that is not a component has no props
  lazy(async () => ({ default: (await load())[name] as ComponentType<PropsOf<Module[Name]>> }));

type PropsOf<Part> = Part extends ComponentType<infer Props> ? Props : never;
