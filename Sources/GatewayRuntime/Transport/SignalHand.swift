package import GatewayCore

/// Hands signals to its own gateway by the real route, as a broken sender would, where faults are ordered.
package protocol SignalHand: AnyObject, Sendable {
  /// Returns whether the gateway takes signals of that sort.
  func takes(_ sort: SignalSort) -> Bool

  /// The latest signals of that sort that were carried out, oldest first. Only on the first loop.
  func kept(_ sort: SignalSort) -> [KeptSignal]

  /// Hands a signal in once more. Only on the first loop.
  func replay(_ signal: KeptSignal)

  /// Hands in a signal about the user that is signed by a key of no issuer. Only on the first loop.
  func forge(_ sort: SignalSort, about user: UserID)
}

/// Decides which signals arrive late, where faults are ordered.
package protocol SignalObjector: Sendable {
  /// Returns the wait before a verified signal is taken; nil for none. Only on the loop.
  func wait(before sort: SignalSort, about user: UserID?) -> SignalWait?
}

package typealias SignalWait = nonisolated(nonsending) @Sendable () async -> Void

/// The sort of a signal from outside, by the route that takes it.
package enum SignalSort: Hashable, Sendable {
  /// A logout token.
  case logout
  /// A security event token.
  case event
}

/// A signal of which a copy is kept.
package struct KeptSignal: Hashable, Sendable {
  package let sort: SignalSort
  package let number: UInt64
  /// The user that it is about; nil if it names none.
  package let user: UserID?

  package init(_ sort: SignalSort, number: UInt64, about user: UserID?) {
    (self.sort, self.number, self.user) = (sort, number, user)
  }
}
