/** The dialog of a change. If the gateway wants a proof first, `confirmation.ts` asks for it. */
import type { ComponentChildren } from 'preact';
import { changeProblemOf } from './change.js';
import { Dialog, type DialogProps } from './dialog.js';

interface Props extends Omit<DialogProps, 'children'> {
  /** What the change will do, and its fields, which may say themselves what is wrong with them */
  children: ComponentChildren | DialogProps['children'];
}

export function ChangeDialog({ children, onSubmit, ...rest }: Props) {
  const submit: DialogProps['onSubmit'] = async (form) => {
    try {
      return await onSubmit(form);
    } catch (error) {
      throw changeProblemOf(error);
    }
  };
  return (
    <Dialog {...rest} onSubmit={submit}>
      {(problem) => (typeof children === 'function' ? children(problem) : children)}
    </Dialog>
  );
}
