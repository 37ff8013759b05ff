package import GatewayCore

/// An event of the journal, in bytes alone. Its text is made when it is read.
package enum JournalEvent: Hashable, Sendable, BitwiseCopyable {
  /// `upstream` is the time until the gateway behind a proxy had accepted.
  case connectionOpened(upstream: JournalDelay = JournalDelay(nil))
  /// `isBlind`: the client is a browser, which shows no script the status. A gateway behind a proxy tells no error.
  case upgradeRefused(JournalError?, status: UInt16, isBlind: Bool)
  case loginAsked
  // The grant comes first, where it wastes no room.
  case loggedIn(JournalGrant, UserKind)
  case loginRefused(JournalError)
  case loggedOut
  case refreshRequested(RefreshCause)
  /// `after` counts from the request.
  case refreshed(JournalGrant, after: JournalDelay)
  case refreshRefused(JournalError)
  case malformed(JournalError)
  case tokenExpired
  case revoked
  case ordered(Order)
  case cutOff(JournalClose)
  case closed(JournalClose, by: End)
  case messageIn(JournalMessage, JournalError?, bytes: UInt32)
  case messageOut(JournalMessage, JournalError?, bytes: UInt32)
  /// The number of the route's name in the journal.
  case httpAnswered(route: UInt16, status: UInt16)
  case providerAsked
  case providerMinted
  case providerFailed(JournalError)
  case providerRefused(JournalError)
  /// The number of the name of the proxy's refusal in the journal, and the status.
  case upstreamFailed(name: UInt16, status: UInt16)
  /// The number of the target's name in the journal, or of why the address was left; what it means to the client.
  case handedOver(name: UInt16, isLeft: Bool, then: UInt8)
  /// The number of the signal's name in the journal; `isPlayed` if a fault sent it.
  case signalTaken(name: UInt16, isPlayed: Bool)
  /// The numbers of the signal's name and of the refusal's in the journal.
  case signalRefused(name: UInt16, failure: UInt16, isPlayed: Bool)
  /// The trace that the request goes on with, and the number of the endpoint's name in the journal.
  case outboundAsked(JournalTrace, endpoint: UInt16)
  /// `after` counts from the question. The numbers of the names of endpoint and result, and of why there was no usable answer.
  case outboundAnswered(JournalTrace, after: JournalDelay, endpoint: UInt16, result: UInt16, failure: UInt16?)
  case graceGiven
  /// `after` counts from the attempt. The number of the endpoint's name in the journal, the status of the answer or 0, and the
  /// number of the name of why it was not delivered.
  case webhookSent(after: JournalDelay, endpoint: UInt16, status: UInt16, failure: UInt16?)
  /// The number of the fault's word in the journal, and its own; `isFull` if the fault had no effect, since too much is late.
  case faulted(word: UInt16, number: UInt32, isFull: Bool)

  /// An operator's order, as the journal has it, e.g. `expire`.
  package enum Order: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case expire, refresh, disconnect, drain
  }

  /// The side that closed a connection.
  package enum End: String, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case gateway, peer, transport
  }

  /// Whether the gateway made something of the message that this tells of.
  var isUnderstood: Bool {
    switch self {
    case .messageIn(.idle, _, _), .messageIn(.malformed, _, _), .messageIn(.text, _, _), .messageIn(.binary, _, _),
      .messageOut(.text, _, _), .messageOut(.binary, _, _):
      false
    default: true
    }
  }

  package var kind: JournalKind {
    switch self {
    case .connectionOpened: .connectionOpened
    case .upgradeRefused: .upgradeRefused
    case .loginAsked: .loginAsked
    case .loggedIn: .loggedIn
    case .loginRefused: .loginRefused
    case .loggedOut: .loggedOut
    case .refreshRequested: .refreshRequested
    case .refreshed: .refreshed
    case .refreshRefused: .refreshRefused
    case .malformed: .malformed
    case .tokenExpired: .tokenExpired
    case .revoked: .revoked
    case .ordered: .ordered
    case .cutOff: .cutOff
    case .closed: .closed
    case .messageIn: .messageIn
    case .messageOut: .messageOut
    case .httpAnswered: .httpAnswered
    case .providerAsked: .providerAsked
    case .providerMinted: .providerMinted
    case .providerFailed: .providerFailed
    case .providerRefused: .providerRefused
    case .upstreamFailed: .upstreamFailed
    case .handedOver: .handedOver
    case .signalTaken: .signalTaken
    case .signalRefused: .signalRefused
    case .outboundAsked: .outboundAsked
    case .outboundAnswered: .outboundAnswered
    case .graceGiven: .graceGiven
    case .webhookSent: .webhookSent
    case .faulted: .faulted
    }
  }
}

/// An error by its number, e.g. 401010.
package struct JournalError: Hashable, Sendable, BitwiseCopyable {
  package let number: UInt32

  package init(_ error: GatewayError) {
    number = UInt32(clamping: error.number)
  }

  /// Its name in the catalogue; nil if it is not there.
  package var name: String? { Self.names[number] }

  private static let names = [UInt32: String](
    GatewayError.all.map { (UInt32(clamping: $0.number), $0.name) }, uniquingKeysWith: { first, _ in first })
}

/// The token of a session and its expiry, as an operator sees it: the token's fingerprint, never the token itself.
package struct JournalGrant: Hashable, Sendable, BitwiseCopyable {
  private let high: UInt64
  private let low: UInt64
  /// In the time of sessions; the distant future for never.
  let expiresAt: Instant

  /// For a session that may have ended at once.
  init(_ grant: Grant?) {
    self.init(grant?.fingerprint, expiresAt: grant?.expiresAt ?? .zero)
  }

  /// For the token with that fingerprint.
  package init(_ fingerprint: TokenFingerprint?, expiresAt: Instant) {
    high = fingerprint?.high ?? 0
    low = fingerprint?.low ?? 0
    self.expiresAt = expiresAt
  }

  /// Nil if the session ended at once.
  package var fingerprint: TokenFingerprint? { high | low == 0 ? nil : TokenFingerprint(high: high, low: low) }
}

/// The time from the gateway's request to the token that came, or that none was requested. It takes four bytes; an optional
/// number takes five.
package struct JournalDelay: Hashable, Sendable, BitwiseCopyable {
  private let raw: UInt32

  /// Nil if the client came by itself.
  package init(_ duration: Duration?) {
    raw = duration.map { min(UInt32(clamping: $0.milliseconds), .max - 1) } ?? .max
  }

  /// Nil if the client came by itself.
  package var milliseconds: UInt32? { raw == .max ? nil : raw }
}

/// A trace of the application's own, or that there is none. It takes 16 bytes; an optional number takes 17.
package struct JournalTrace: Hashable, Sendable, BitwiseCopyable {
  private let high: UInt64
  private let low: UInt64

  package init(_ trace: TraceID?) { (high, low) = (trace?.high ?? 0, trace?.low ?? 0) }

  /// Nil if there is none.
  package var id: TraceID? { TraceID(high: high, low: low) }
}

/// A close of a connection by either side: the code on the wire, and the reason.
///
/// The code is 1006 if a fault left the close frame out.
package struct JournalClose: Hashable, Sendable, BitwiseCopyable {
  package let code: UInt16
  private let place: UInt8
  /// Whether a fault made the code, and the number of the verdict in the bits above.
  private let bits: UInt8

  /// Whether a fault made the code: the client knows that alone, and not what the gateway meant.
  package var isFaulted: Bool { bits & 1 == 1 }

  /// The meaning of the end to a client of a described wire, or of a gateway behind a proxy; nil if unknown.
  package var then: ReturnVerdict? { ReturnVerdict.allCases.first { $0.number == Int(bits >> 1) } }

  /// Creates a close. The code is the dialect's own for `reason`, unless a fault replaced it, or sent none: 1006.
  package init(_ reason: CloseReason, code: UInt16, isFaulted: Bool = false, then: ReturnVerdict? = nil) {
    self.code = code
    bits = (isFaulted ? 1 : 0) | UInt8(then?.number ?? 0) << 1
    place = UInt8(clamping: CloseReason.all.firstIndex(of: reason) ?? Int(UInt8.max))
  }

  /// The reason's name; `other` if an operator named it.
  package var reason: String {
    Int(place) < CloseReason.all.count ? CloseReason.all[Int(place)].name : "other"
  }
}
