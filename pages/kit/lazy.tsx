/** Code that is loaded when it is first drawn. It is not there if the gateway was updated since the page was loaded. */
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading } from './states.js';

export type Load<Props> = () => Promise<ComponentType<Props>>;

// biome-ignore lint/suspicious/noExplicitAny: each component takes the props of who loads it
const loaded = new Map<Load<any>, ComponentType<any>>();

/**
 * @param load the same function for the same code
 * @returns undefined while it is on its way
 */
export function useLoaded<Props>(load: Load<Props>): ComponentType<Props> | 'missing' | undefined {
  const [, redraw] = useState(0);
  const [isMissing, setMissing] = useState(false);
  const Component: ComponentType<Props> | undefined = loaded.get(load);
  useEffect(() => {
    if (Component !== undefined) return;
    load().then(
      (component) => {
        loaded.set(load, component);
        redraw((count) => count + 1);
      },
      () => setMissing(true),
    );
  }, [load, Component]);
  return Component ?? (isMissing ? 'missing' : undefined);
}

/** A component whose code is loaded when it is first drawn. */
export function lazy<Props extends object>(load: Load<Props>) {
  return function Lazy(props: Props & JSX.IntrinsicAttributes) {
    const Component = useLoaded(load);
    if (Component === undefined) return <Loading />;
    return Component === 'missing' ? <Missing what="This part of the page" /> : <Component {...props} />;
  };
}

export function Missing({ what }: { what: string }) {
  return (
    <>
      <p role="alert" class="notice bad">
        {what} could not be loaded: the gateway does not answer, or it was updated.
      </p>
      <p>
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    </>
  );
}
