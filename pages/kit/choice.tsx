/** Choices of a form: several of many as checkboxes, one of few as radio buttons. */
import type { ComponentChildren } from 'preact';
import { useUniqueId } from './unique-id.js';

export interface Option {
  value: string;
  label: ComponentChildren;
  hint?: string;
}

interface ChoiceProps {
  legend: string;
  name: string;
  options: readonly Option[];
}

interface CheckboxesProps extends ChoiceProps {
  /** `compact`: in columns, for many short options; `beside`: each hint next to its label, if there is room */
  look?: 'compact' | 'beside';
}

export function Checkboxes({ legend, name, options, look = 'beside' }: CheckboxesProps) {
  return (
    <fieldset class={`choice ${look}`}>
      <legend>{legend}</legend>
      {options.map((option) => (
        <Choosable key={option.value} type="checkbox" name={name} option={option} />
      ))}
    </fieldset>
  );
}

interface RadioProps extends ChoiceProps {
  chosen: string;
  onChoose(value: string): void;
}

export function RadioButtons({ legend, name, options, chosen, onChoose }: RadioProps) {
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      {options.map((option) => (
        <Choosable
          key={option.value}
          type="radio"
          name={name}
          option={option}
          checked={option.value === chosen}
          onChange={() => onChoose(option.value)}
        />
      ))}
    </fieldset>
  );
}

interface ChoosableProps {
  type: 'checkbox' | 'radio';
  name: string;
  option: Option;
  required?: boolean;
  checked?: boolean;
  onChange?(): void;
}

/** One checkbox or radio button, with words of what it means. */
export function Choosable({ option: { value, label, hint }, ...input }: ChoosableProps) {
  const id = useUniqueId();
  return (
    <div class="choosable">
      <input {...input} id={id} value={value} aria-describedby={hint === undefined ? undefined : `${id}-hint`} />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
