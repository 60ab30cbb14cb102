/**
 * What the Open Cybersecurity Schema Framework 1.5.0 asks of the events that are exported, and of nothing else: the names,
 * numbers and types of https://schema.ocsf.io/1.5.0, put down by hand.
 */

type Check = (value: unknown, path: string) => string[];
interface Shape {
  required?: string[];
  /** At least one of them is there */
  oneOf?: string[];
  fields: Record<string, Check>;
}

const says =
  (what: string, is: (value: unknown) => boolean): Check =>
  (value, path) =>
    is(value) ? [] : [`${path} is not ${what}`];
const text = says('a text', (value) => typeof value === 'string' && value !== '');
const email = says('an e-mail', (value) => /^.+@.+$/.test(String(value)));
const ip = says('an address', (value) => /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:.]*)$/i.test(String(value)));
const version = says('a version', (value) => /^\d+\.\d+\.\d+/.test(String(value)));
/** Milliseconds: seconds would be 1970, microseconds far away. */
const time = says('a time', (value) => Number.isInteger(value) && Number(value) > 1e12 && Number(value) < 1e13);
const anything: Check = () => [];

const shape =
  ({ required = [], oneOf = [], fields }: Shape): Check =>
  (value, path) => {
    const given = Object.entries(value as object).filter(([, field]) => field !== undefined);
    const names = given.map(([name]) => name);
    return [
      ...required.filter((name) => !names.includes(name)).map((name) => `${path}.${name} is missing`),
      ...(oneOf.length === 0 || oneOf.some((name) => names.includes(name)) ? [] : [`${path} has none of ${oneOf}`]),
      ...given.flatMap(([name, field]) => fields[name]?.(field, `${path}.${name}`) ?? [`${path}.${name} is unknown`]),
    ];
  };

const user = shape({ oneOf: ['account', 'name', 'uid'], fields: { name: text, uid: text, email_addr: email } });
const product = shape({ oneOf: ['name', 'uid'], fields: { name: text, vendor_name: text, version: text } });
const metadata = shape({
  required: ['product', 'version'],
  fields: { version, product, uid: text, event_code: text, log_name: text, logged_time: time },
});
const actor = shape({ oneOf: ['user', 'app_name', 'app_uid'], fields: { user, app_name: text, app_uid: text } });
const service = shape({ oneOf: ['name', 'uid'], fields: { name: text } });
const session = shape({ fields: { uid: text } });
const entity = shape({ oneOf: ['name', 'uid'], fields: { name: text, uid: text, type: text } });
const endpoint = shape({ oneOf: ['ip', 'name'], fields: { ip, name: text } });
const request = shape({ fields: { user_agent: text } });

const SEVERITIES = ['Unknown', 'Informational', 'Low', 'Medium', 'High', 'Critical', 'Fatal'];
const STATUSES = ['Unknown', 'Success', 'Failure'];

const REQUIRED = ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid'];
const EVERY = {
  activity_id: anything,
  activity_name: text,
  category_uid: anything,
  category_name: text,
  class_uid: anything,
  class_name: text,
  type_uid: anything,
  severity_id: anything,
  severity: text,
  status_id: anything,
  status: text,
  status_detail: text,
  time,
  message: text,
  metadata,
  unmapped: says('an object', (value) => typeof value === 'object' && value !== null),
};
const IAM = { ...EVERY, actor, src_endpoint: endpoint, http_request: request };

interface Class {
  category: [uid: number, name: string];
  name: string;
  activities: Record<number, string>;
  check: Check;
}

const ACCESS: Class['category'] = [3, 'Identity & Access Management'];
const CLASSES: Record<number, Class> = {
  0: {
    category: [0, 'Uncategorized'],
    name: 'Base Event',
    activities: {},
    check: shape({ required: REQUIRED, fields: EVERY }),
  },
  3001: {
    category: ACCESS,
    name: 'Account Change',
    activities: {
      ...{ 1: 'Create', 2: 'Enable', 3: 'Password Change', 4: 'Password Reset', 5: 'Disable', 6: 'Delete' },
      ...{ 7: 'Attach Policy', 8: 'Detach Policy', 9: 'Lock', 10: 'MFA Factor Enable', 11: 'MFA Factor Disable' },
      ...{ 12: 'Unlock' },
    },
    check: shape({ required: [...REQUIRED, 'user'], fields: { ...IAM, user } }),
  },
  3002: {
    category: ACCESS,
    name: 'Authentication',
    activities: {
      ...{ 1: 'Logon', 2: 'Logoff', 3: 'Authentication Ticket', 4: 'Service Ticket Request' },
      ...{ 5: 'Service Ticket Renew', 6: 'Preauth' },
    },
    check: shape({
      required: [...REQUIRED, 'user'],
      oneOf: ['service', 'dst_endpoint'],
      fields: { ...IAM, user, service, session },
    }),
  },
  3004: {
    category: ACCESS,
    name: 'Entity Management',
    activities: {
      ...{ 1: 'Create', 2: 'Read', 3: 'Update', 4: 'Delete', 5: 'Move', 6: 'Enroll', 7: 'Unenroll', 8: 'Enable' },
      ...{ 9: 'Disable', 10: 'Activate', 11: 'Deactivate', 12: 'Suspend', 13: 'Resume' },
    },
    check: shape({ required: [...REQUIRED, 'entity'], fields: { ...IAM, entity } }),
  },
};

export type OcsfEvent = Record<string, unknown> & { class_uid: number; activity_id: number };

/** What is wrong with an event; nothing, where it is as the schema has it. */
export function ocsfFaults(event: OcsfEvent): string[] {
  const { activity_id, activity_name, class_uid } = event;
  const of = CLASSES[class_uid];
  if (of === undefined) return [`class_uid is ${class_uid}`];
  // What the class has no number for is 99, and is named by its sender.
  const activity = activity_id === 99 ? activity_name : { 0: 'Unknown', ...of.activities }[activity_id];
  const wanted: Record<string, unknown> = {
    category_uid: of.category[0],
    category_name: of.category[1],
    class_name: of.name,
    type_uid: class_uid * 100 + activity_id,
    activity_name: activity ?? 'an activity of the class',
    severity: SEVERITIES[Number(event['severity_id'])],
    status: STATUSES[Number(event['status_id'] ?? 0)],
  };
  const wrong = Object.entries(wanted).filter(([name, value]) => name in event && event[name] !== value);
  return [
    ...of.check(event, 'event'),
    ...(activity === undefined ? [`activity_id is ${activity_id}`] : []),
    ...wrong.map(([name, value]) => `${name} is not ${value}`),
  ];
}
