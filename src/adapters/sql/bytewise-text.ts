// Makes every text column of a migration compare by its bytes, as SQLite's do. PostgreSQL would use the language of
// the database: slower, another order of pages than on embedded storage, and indexes that an upgrade of
// the system's locales can break.

import {
  type ColumnDefinitionNode,
  DataTypeNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryId,
  RawNode,
} from 'kysely';

export class BytewiseText implements KyselyPlugin {
  readonly #transformer = new ColumnTransformer();

  transformQuery({ node, queryId }: PluginTransformQueryArgs) {
    return this.#transformer.transformNode(node, queryId);
  }

  transformResult({ result }: PluginTransformResultArgs) {
    return Promise.resolve(result);
  }
}

class ColumnTransformer extends OperationNodeTransformer {
  protected override transformColumnDefinition(
    node: ColumnDefinitionNode,
    queryId?: QueryId,
  ): ColumnDefinitionNode {
    const column = super.transformColumnDefinition(node, queryId);
    const isText = DataTypeNode.is(node.dataType) && node.dataType.dataType === 'text';
    return isText ? { ...column, dataType: RawNode.createWithSql('text collate "C"') } : column;
  }
}
