package import GatewayCore

/// The reason why a store did not do what it was asked: the disk is full, for instance.
package enum StoreError: Error, Hashable, Sendable {
  /// It is away, full, broken, or cannot read what it has; nothing was changed.
  case unavailable(String)
  /// The answer was lost: what was asked may have been done or not. Whoever asks again with the same commit learns it.
  case unknown(String)
  /// One more row would be one too many.
  case full(StoreCount)
  /// Others were always faster.
  case contended
}

extension StoreError: CustomStringConvertible {
  /// What is wrong, for an operator.
  package var description: String {
    switch self {
    case .unavailable(let text): text
    case .unknown(let text): "\(text); nobody knows whether it was done"
    case .full(let count): "there are \(count.atMost) \(count.noun), as many as may be"
    case .contended: "too many changed the same at once"
    }
  }
}

/// A vendor's error that can also say what is wrong with the store: over HTTP by 503, for instance.
package protocol StoreFailure: Error {
  init(_ error: StoreError)
}

extension StoreFailure {
  /// What the store answers to who only reads; what is wrong with it in the vendor's words.
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
