internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import Synchronization

/// The troubles of a gateway's store: each goes to the log, and the last one of a start that fails is its reason.
final class StoreTroubles: Sendable {
  private let log: GatewayLog?
  private let last = Mutex<String?>(nil)

  init(_ log: GatewayLog?) {
    self.log = log
  }

  func note(_ text: String) {
    last.withLock { $0 = text }
    log?.write(LogEvent(.error, "store_failed", [.init("error", text)]))
  }

  /// Runs what a start does with its store. If that fails after a trouble, throws a ``StoreStartError`` instead of the error
  /// of a vendor, which knows nothing of files.
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

/// The reason why a gateway cannot start with a store that it could open: a row is damaged, or the disk takes nothing.
package struct StoreStartError: LastingFailure {
  package let description: String

  package var isLasting: Bool { true }
}
