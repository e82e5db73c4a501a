// Namespaces, tables and errors as a JavaScript program meets them. The catalog is at CATALOG_URI.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { IcebergError, IcebergRestCatalog } = require('iceberg-js');

const catalog = new IcebergRestCatalog({
  baseUrl: process.env.CATALOG_URI,
  auth: { type: 'none' },
});

const SCHEMA = {
  type: 'struct',
  'schema-id': 0,
  fields: [
    { id: 1, name: 'id', type: 'long', required: true },
    { id: 2, name: 'name', type: 'string', required: false },
  ],
};

let made = 0;
// A new namespace with one table `t`.
async function tableInNewNamespace() {
  const namespace = [`js${made++}`];
  await catalog.createNamespace({ namespace });
  const metadata = await catalog.createTable({ namespace }, { name: 't', schema: SCHEMA });
  return { id: { namespace, name: 't' }, namespace, metadata };
}

// Expects a rejection that carries the fields of an Iceberg error.
function fails(promise, status, type) {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof IcebergError, String(error));
    assert.deepEqual([error.status, error.icebergType, error.icebergCode], [status, type, status]);
    return true;
  });
}

test('configuration lists the endpoints', async () => {
  const config = await catalog.loadConfig();
  assert.ok(config.endpoints.includes('GET /v1/{prefix}/namespaces'));
  assert.equal(typeof config.defaults, 'object');
  assert.equal(typeof config.overrides, 'object');
});

test('namespace lives and dies', async () => {
  const namespace = ['js_life'];
  assert.equal(await catalog.namespaceExists({ namespace }), false);
  await catalog.createNamespace({ namespace }, { properties: { owner: 'me' } });
  assert.equal(await catalog.namespaceExists({ namespace }), true);
  const { namespaces } = await catalog.listNamespaces();
  assert.ok(namespaces.some((entry) => entry.namespace[0] === 'js_life'));
  assert.equal((await catalog.loadNamespaceMetadata({ namespace })).properties.owner, 'me');
  const changed = await catalog.updateNamespaceProperties(
    { namespace }, { removals: ['owner', 'none'], updates: { a: '1' } });
  assert.deepEqual(changed.removed, ['owner']);
  assert.deepEqual(changed.updated, ['a']);
  assert.deepEqual(changed.missing, ['none']);
  await catalog.dropNamespace({ namespace });
  assert.equal(await catalog.namespaceExists({ namespace }), false);
});

test('namespaces nest', async () => {
  await catalog.createNamespace({ namespace: ['js_nest'] });
  await catalog.createNamespace({ namespace: ['js_nest', 'b'] });
  await catalog.createNamespace({ namespace: ['js_nest', 'b', 'c'] });
  const listed = await catalog.listNamespaces({ parent: { namespace: ['js_nest', 'b'] } });
  assert.deepEqual(listed.namespaces, [{ namespace: ['js_nest', 'b', 'c'] }]);
});

test('odd names work', async () => {
  for (const name of ['a b', 'a+b', 'a/b', 'a%b', 'a?b#c', '\u00fc', '\u{1F427}']) {
    const namespace = [`js ${name}`];
    await catalog.createNamespace({ namespace });
    await catalog.createTable({ namespace }, { name, schema: SCHEMA });
    assert.deepEqual((await catalog.listTables({ namespace })).identifiers, [{ namespace, name }]);
    assert.equal(await catalog.tableExists({ namespace, name }), true, name);
    await catalog.dropTable({ namespace, name });
    await catalog.dropNamespace({ namespace });
  }
});

test('long list comes in pages', async () => {
  const { namespace } = await tableInNewNamespace();
  for (const name of ['a', 'b', 'c', 'd']) {
    await catalog.createTable({ namespace }, { name, schema: SCHEMA });
  }
  const names = [];
  let pageToken = '';
  do {
    const page = await catalog.listTables({ namespace }, { pageToken, pageSize: 2 });
    assert.ok(page.identifiers.length <= 2);
    names.push(...page.identifiers.map((entry) => entry.name));
    pageToken = page.nextPageToken;
  } while (pageToken);
  assert.deepEqual(names.sort(), ['a', 'b', 'c', 'd', 't']);
});

test('table is created, loaded, changed and dropped', async () => {
  const { id, namespace, metadata } = await tableInNewNamespace();
  assert.deepEqual(metadata.schemas[0].fields, SCHEMA.fields);
  const loaded = await catalog.loadTableResult(id);
  assert.equal(loaded.metadata['table-uuid'], metadata['table-uuid']);
  const changed = await catalog.updateTable(id, {
    requirements: [{ type: 'assert-table-uuid', uuid: metadata['table-uuid'] }],
    updates: [{ action: 'set-properties', updates: { a: '1' } }],
  });
  assert.notEqual(changed['metadata-location'], loaded['metadata-location']);
  assert.equal((await catalog.loadTable(id)).properties.a, '1');
  assert.deepEqual((await catalog.listTables({ namespace })).identifiers, [id]);
  await catalog.dropTable(id, { purge: true });
  assert.equal(await catalog.tableExists(id), false);
});

test('unchanged table is not sent again', async () => {
  const { id } = await tableInNewNamespace();
  const { etag } = await catalog.loadTableResult(id);
  assert.equal(await catalog.loadTable(id, { ifNoneMatch: etag }), null);
  await catalog.updateTable(id, {
    requirements: [], updates: [{ action: 'set-properties', updates: { a: '1' } }],
  });
  assert.equal((await catalog.loadTable(id, { ifNoneMatch: etag })).properties.a, '1');
});

test('table is renamed and registered', async () => {
  const { id, namespace } = await tableInNewNamespace();
  const destination = { namespace, name: 'u' };
  await catalog.renameTable({ source: id, destination });
  assert.equal(await catalog.tableExists(id), false);
  const renamed = await catalog.loadTableResult(destination);
  await catalog.dropTable(destination);
  const registered = await catalog.registerTable(
    { namespace }, { name: 'v', 'metadata-location': renamed['metadata-location'] });
  assert.equal(registered['table-uuid'], renamed.metadata['table-uuid']);
});

test('errors say what they are', async () => {
  const { id, namespace, metadata } = await tableInNewNamespace();
  const none = { namespace: ['js_none'] };
  await fails(catalog.loadTable({ namespace, name: 'none' }), 404, 'NoSuchTableException');
  await fails(catalog.loadTable({ ...none, name: 'none' }), 404, 'NoSuchTableException');
  await fails(catalog.loadNamespaceMetadata(none), 404, 'NoSuchNamespaceException');
  await fails(catalog.createTable(none, { name: 't', schema: SCHEMA }), 404,
    'NoSuchNamespaceException');
  await fails(catalog.createNamespace({ namespace }), 409, 'AlreadyExistsException');
  await fails(catalog.createTable({ namespace }, { name: 't', schema: SCHEMA }), 409,
    'AlreadyExistsException');
  await fails(catalog.dropNamespace({ namespace }), 409, 'NamespaceNotEmptyException');
  await fails(catalog.updateTable(id, {
    requirements: [{ type: 'assert-table-uuid', uuid: '00000000-0000-0000-0000-000000000000' }],
    updates: [{ action: 'set-properties', updates: { a: '1' } }],
  }), 409, 'CommitFailedException');
  assert.equal((await catalog.loadTable(id))['table-uuid'], metadata['table-uuid']);
});

test('twenty requests at once are all answered', async () => {
  const { namespace } = await tableInNewNamespace();
  const names = Array.from({ length: 20 }, (_, i) => `many${i}`);
  await Promise.all(names.map(
    (name) => catalog.createTable({ namespace }, { name, schema: SCHEMA })));
  const listed = (await catalog.listTables({ namespace })).identifiers.map((entry) => entry.name);
  assert.deepEqual(listed.sort(), [...names, 't'].sort());
});
