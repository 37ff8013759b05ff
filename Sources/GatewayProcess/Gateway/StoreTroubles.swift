internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import Synchronization

/// The errors of a gateway's store. Each is logged, and the last one is the reason of a failed start.
final class StoreTroubles: Sendable {
  private let log: GatewayLog?
  private let last = Mutex<String?>(nil)

  init(_ log: GatewayLog?) {
    self.log = log
  }

  func note(_ text: String) {
    last.withLock { $0 = text }
    log?.note(.error, "store_failed", ["error": text])
  }

  /// Runs the part of a start that uses the store. If it fails after an error of the store, throws a ``StoreStartError`` with
  /// that error: the vendors' own errors do not name files.
  func naming<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    last.withLock { $0 = nil }
    do {
      return try await body()
    } catch {
      guard let text = last.withLock({ $0 }) else { throw error }
      throw StoreStartError(description: "the gateway cannot start with this store: \(text)")
    }
  }
}

/// Why a gateway cannot start with a store that it could open, e.g. a damaged row or a full disk.
package struct StoreStartError: LastingFailure {
  package let description: String

  package var isLasting: Bool { true }
}
