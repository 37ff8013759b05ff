package import GatewayKit
internal import GatewayStores
internal import Testing

/// A store engine for contract tests.
package struct StoreCase: CustomTestStringConvertible, Sendable {
  package let testDescription: String
  package let make: @Sendable () throws -> any Store

  package static let all = [
    StoreCase(testDescription: "memory") { MemoryStore(on: SerialTestExecutor()) },
    StoreCase(testDescription: "SQLite") { try TemporaryStore().open() },
    StoreCase(testDescription: "Redis") { try RedisServer.store() },
  ]
}
