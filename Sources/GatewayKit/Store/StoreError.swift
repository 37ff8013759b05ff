package import GatewayCore

/// The cause of a failed store operation.
package enum StoreError: Error, Hashable, Sendable {
  /// The store is unreachable, full, broken, or cannot read its data. Nothing was changed.
  case unavailable(String)
  /// The answer was lost: the operation may have been done or not. Repeat the same commit to find out.
  case unknown(String)
  /// One more row would exceed the count's maximum.
  case full(StoreCount)
  /// Other transactions were faster at every try.
  case contended
}

extension StoreError: CustomStringConvertible {
  /// The cause, for an operator.
  package var description: String {
    switch self {
    case .unavailable(let text): text
    case .unknown(let text): "\(text); nobody knows whether it was done"
    case .full(let count): "there are \(count.atMost) \(count.noun), as many as may be"
    case .contended: "too many changed the same at once"
    }
  }
}

/// A vendor's error that can also express a failure of the store, e.g. as 503 over HTTP.
package protocol StoreFailure: Error {
  init(_ error: StoreError)
}

extension StoreFailure {
  /// Returns the answer to a read, with the store's errors converted to this type.
  package static func asking<Answer>(
    _ question: () async throws(StoreError) -> Answer
  ) async throws(Self) -> Answer {
    do throws(StoreError) { return try await question() } catch { throw Self(error) }
  }
}

extension StoreError: StoreFailure {
  package init(_ error: StoreError) {
    self = error
  }
}

extension GatewayError: StoreFailure {
  package init(_ error: StoreError) {
    self =
      switch error {
      case .unavailable, .unknown: .storeUnavailable
      case .full(let count): .tooMany.detailed("\(count.atMost) \(count.noun)")
      case .contended: .storeUnavailable.detailed("too many changed the same at once")
      }
  }
}
