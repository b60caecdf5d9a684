import { lazy, Suspense, type ComponentType, type LazyExoticComponent, type ReactNode } from 'react';

/** A lazy component: the export `name` of the module that `load` imports. */
export const lazyComponent = <Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): LazyExoticComponent<ComponentType<PropsOf<Module[Name]>>> =>
  // an export that is not a component has no props
  lazy(async () => ({ default: (await load())[name] as ComponentType<PropsOf<Module[Name]>> }));

/** Like `lazyComponent`, but shows `fallback` in its place until it is loaded. */
export function lazyPart<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  fallback: ReactNode = null,
): (props: PropsOf<Module[Name]>) => ReactNode {
  const Part = lazy(async () => ({ default: (await load())[name] as ComponentType<object> }));
  return (props) => (
    <Suspense fallback={fallback}>
      <Part {...(props as object)} />
    </Suspense>
  );
}

type PropsOf<Part> = Part extends ComponentType<infer Props> ? Props : never;
