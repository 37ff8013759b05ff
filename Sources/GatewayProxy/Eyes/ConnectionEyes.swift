internal import GatewayCore
internal import GatewayRuntime
internal import GatewayWires

/// A reader of both directions of one connection, which changes nothing. Only on the connection's loop.
protocol ConnectionEyes: AnyObject, Sendable {
  typealias Sighting = WireEyes.Sighting

  /// Whether the login has been accepted.
  var isLoggedIn: Bool { get }

  /// Whether the gateway waits for another token.
  var isRefreshing: Bool { get }

  /// The token that was shown and not been judged; nil for none.
  var shown: WireEyes.Shown? { get }

  /// The accepted token; nil before the login.
  var accepted: WireEyes.Shown? { get }

  /// When the accepted token ends; nil for never or not known.
  var end: WallTime? { get }

  /// Notes that the connection is open, which is the login on some wires.
  func opened() -> [Sighting]

  /// Returns the meanings of the messages in a payload of the client.
  func fromClient(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> [Sighting]

  /// Returns the meaning of a payload of the client that has not been read yet. Changes no state.
  func foresee(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> Sighting

  /// Returns the meanings of the messages in a payload of the gateway.
  func fromGateway(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> [Sighting]

  /// Returns whether a client's request over HTTP renews this connection.
  func isRenewed(by request: RenewalSight) -> Bool

  /// Notes that such a request was sent.
  func asked(by request: RenewalSight)

  /// Returns the meaning of the answer to such a request.
  func answered(_ request: RenewalSight, by response: HTTPResponse, at now: WallTime) -> Sighting

  /// Returns the present meaning for the client of a close with that code and text; nil if unknown.
  func then(atClose code: UInt16, _ text: String?) -> ReturnVerdict?

  /// Returns the meaning for the client of a refused upgrade; nil if unknown.
  func then(atStatus status: Int) -> ReturnVerdict?

  /// Returns a payload of the gateway that tells another life of the token; nil if it tells none.
  func telling(_ life: Duration, in payload: UnsafeRawBufferPointer, at now: WallTime) -> [UInt8]?

  /// Returns an operator's message as the wire has it.
  func worded(_ frame: Frame) -> Frame

  /// Returns a payload of the gateway in which the addresses of hand-overs are others; nil if it has none, or none changes.
  ///
  /// - Parameter address: Returns the other address, or nil to leave it. It is called for each hand-over.
  func handingOver(
    _ payload: UnsafeRawBufferPointer, at now: WallTime, to address: (String, ReturnVerdict) -> String?
  ) -> [UInt8]?

  /// Whether the gateway has words that ask a client for another token, or end it for want of one.
  var canRequest: Bool { get }

  /// Returns the gateway's own request for another token; empty if the wire has none.
  func request(at now: WallTime) -> [Frame]

  /// Notes that the client was asked for another token.
  func asked()

  /// The close by which the gateway ends an expired token where clients renew by coming back; nil for none.
  var goodbye: CloseReason? { get }
}

extension ConnectionEyes {
  func isRenewed(by request: RenewalSight) -> Bool { false }
  func asked(by request: RenewalSight) {}
  func answered(_ request: RenewalSight, by response: HTTPResponse, at now: WallTime) -> Sighting { .unknown }
}

extension WireEyes: ConnectionEyes {
  func fromClient(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> [Sighting] {
    fromClient(payload, at: now)
  }

  func foresee(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> Sighting {
    foresee(payload, at: now)
  }

  func fromGateway(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> [Sighting] {
    fromGateway(payload, at: now)
  }
}
