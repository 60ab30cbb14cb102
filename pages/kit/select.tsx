/** A choice of one of few, with its label. */
import { useUniqueId } from './unique-id.js';

interface Props<Value extends string> {
  label: string;
  value: Value;
  options: ReadonlyArray<readonly [value: Value, name: string]>;
  onChoose(value: Value): void;
}

export function Select<Value extends string>({ label, value, options, onChoose }: Props<Value>) {
  const id = useUniqueId();
  return (
    <>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value as Value)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}
