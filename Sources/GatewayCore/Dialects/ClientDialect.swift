/// The client's side of one vendor's wire format: the messages of a fleet's clients, and the habits of the SDK that
/// they simulate.
package protocol ClientDialect: Sendable {
  /// The stable name, the same as the ``Dialect``'s.
  var name: String { get }

  /// The name of the vendor's SDK that the clients simulate; nil if there is only one kind.
  var sdk: String? { get }

  /// The clients' behaviour that the gateway does not request.
  var habits: ClientHabits { get }

  /// The path of the upgrade request below the gateway's address.
  var upgradeTarget: String { get }

  /// The wire's names for close codes, without the codes that have no name.
  var closeNames: [UInt16: String] { get }

  /// Returns the upgrade request of a client, with the credentials that it carries.
  func upgrade(of client: ClientIdentity) -> ClientUpgrade

  /// Returns the same for a client with a memory, e.g. of the answer to the request of ``ahead(of:_:)``.
  func upgrade(of client: ClientIdentity, _ memory: ClientMemory?) -> ClientUpgrade

  /// Returns a request to the gateway that precedes each dial; nil for none.
  func ahead(of client: ClientIdentity, _ memory: ClientMemory?) -> HTTPRequest?

  /// Reads the successful response to that request. Returns the fault's name for the report; nil if the client may
  /// dial.
  func heed(_ response: HTTPResponse, of client: ClientIdentity, _ memory: ClientMemory?) -> String?

  /// Returns the frame of a client's message; nil if the client sends none. E.g. there is no message to connect with
  /// where the upgrade carries the credentials.
  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame?

  /// Decodes a message of the gateway; returns nil for one that a client need not understand.
  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice?

  /// Creates the memory of a client between messages; nil if every message is complete in itself.
  func memory(of client: ClientIdentity) -> ClientMemory?

  /// Returns the frames of a client's message, of which there may be several.
  func frames(_ message: ClientMessage, of client: ClientIdentity, _ memory: ClientMemory?) -> [Frame]

  /// Decodes a payload of the gateway, and calls `hear` with each notice in order; nil for a message that a client need
  /// not understand. The meaning of a message may depend on the phase, which each notice may change.
  func hear(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, by client: () -> (ClientPhase?, ClientIdentity),
    _ memory: ClientMemory?, _ hear: (ServerNotice?) -> Void)

  /// Handles a close by the gateway, with the code of its close frame (nil if there was none) and its text.
  func heardEnd(_ code: UInt16?, _ text: String?, of client: () -> ClientIdentity)

  /// Returns the expiry that the token itself states; nil if it states none.
  func end(of token: Credentials) -> WallTime?

  /// Returns the HTTP request that registers the user with the token provider before the first token; nil if none is
  /// needed. Its answer is ignored: the user may exist already.
  func registration(of user: UserID) -> HTTPRequest?

  /// Returns the HTTP request that asks the token provider for a token at `now`.
  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest

  /// Returns the token in the provider's answer; nil if it contains none.
  func token(in response: HTTPResponse) -> Credentials?

  /// Returns the HTTP request to the gateway that renews the client's session key with its token; nil if the wire has
  /// no keys.
  func keyRequest(of client: ClientIdentity) -> HTTPRequest?

  /// Returns the session key in the gateway's answer, or the number of its error; nil if it contains neither.
  func key(in response: HTTPResponse) -> SessionKeyAnswer?

  /// Returns the HTTP request to the gateway that renews the open connection of a client with a memory.
  func keyRequest(of client: ClientIdentity, _ memory: ClientMemory?) -> HTTPRequest?

  /// Reads the gateway's answer to that request.
  func key(in response: HTTPResponse, of client: ClientIdentity, _ memory: ClientMemory?) -> SessionKeyAnswer?
}

// The defaults of a client's dialect.

extension ClientDialect {
  package var sdk: String? { nil }
  package var habits: ClientHabits { ClientHabits() }
  package var closeNames: [UInt16: String] { CloseReason.names }
  package func registration(of user: UserID) -> HTTPRequest? { nil }
  package func memory(of client: ClientIdentity) -> ClientMemory? { nil }
  package func end(of token: Credentials) -> WallTime? { nil }
  package func heardEnd(_ code: UInt16?, _ text: String?, of client: () -> ClientIdentity) {}
  package func upgrade(of client: ClientIdentity, _ memory: ClientMemory?) -> ClientUpgrade { upgrade(of: client) }
  package func ahead(of client: ClientIdentity, _ memory: ClientMemory?) -> HTTPRequest? { nil }
  package func heed(_ response: HTTPResponse, of client: ClientIdentity, _ memory: ClientMemory?) -> String? { nil }

  package func frames(_ message: ClientMessage, of client: ClientIdentity, _ memory: ClientMemory?) -> [Frame] {
    encode(message, of: client).map { [$0] } ?? []
  }

  package func hear(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, by client: () -> (ClientPhase?, ClientIdentity),
    _ memory: ClientMemory?, _ hear: (ServerNotice?) -> Void
  ) {
    hear(decode(payload, kind))
  }

  package func keyRequest(of client: ClientIdentity) -> HTTPRequest? { nil }
  package func key(in response: HTTPResponse) -> SessionKeyAnswer? { nil }

  package func keyRequest(of client: ClientIdentity, _ memory: ClientMemory?) -> HTTPRequest? {
    keyRequest(of: client)
  }

  package func key(
    in response: HTTPResponse, of client: ClientIdentity, _ memory: ClientMemory?
  ) -> SessionKeyAnswer? {
    key(in: response)
  }
}

/// A client's own data when it connects or sends: its user, its token, and the name of its connection.
package struct ClientIdentity: Hashable, Sendable {
  package var user: UserID
  package var token: Credentials?
  /// The session key for a reconnect; nil if there is none, or it must not be used.
  package var key: Credentials?
  /// The gateway's name for the connection.
  package var connection: String?
  /// The gateway's greeting, for clients that send it back.
  package var greeting: String?
  /// A number that distinguishes this client from others of the same user.
  package var number: UInt64
  /// A number that distinguishes the client's messages.
  package var message: UInt32
  package var now: WallTime

  package init(
    user: UserID, token: Credentials? = nil, key: Credentials? = nil, connection: String? = nil,
    greeting: String? = nil, number: UInt64 = 0, message: UInt32 = 0, now: WallTime = WallTime(nanoseconds: 0)
  ) {
    self.user = user
    self.token = token
    self.key = key
    self.connection = connection
    self.greeting = greeting
    self.number = number
    self.message = message
    self.now = now
  }
}

/// An upgrade request with the subprotocols that the client offers.
package struct ClientUpgrade: Hashable, Sendable {
  package var request: HTTPRequest
  package var subprotocols: [String]

  package init(_ request: HTTPRequest, subprotocols: [String] = []) {
    self.request = request
    self.subprotocols = subprotocols
  }
}

/// A message of a fleet's client before its dialect encodes it.
package enum ClientMessage: Hashable, Sendable {
  case connect(Credentials)
  case refresh(Credentials)
  case ping
  /// Bytes that mean nothing in the dialect.
  case garbage
  /// The message that a ``ServerNotice/cue(_:)`` with that number requests.
  case cued(Int)
}

/// The gateway's answer to a request for a new session key, or to one that renews an open connection.
package enum SessionKeyAnswer: Hashable, Sendable {
  case key(Credentials)
  /// The number of the error.
  case refused(number: Int)
  /// The connection is renewed, by the token in the answer if there is one. The life of the token, if the answer tells it.
  case renewed(Credentials?, life: Duration?)
  /// The connection is not renewed.
  case unrenewed(status: Int, retryAfter: Duration?)
  /// The answer accepts, and lacks something that the client needs.
  case incomplete(name: String)
}

/// The requested life of a token: a duration from now, or until a time that a whole storm shares.
package enum TokenLife: Hashable, Sendable {
  case lasting(Duration)
  case until(WallTime)
}
