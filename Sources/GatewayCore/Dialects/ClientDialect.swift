/// One vendor's wire format, the client's side: what a fleet of clients of one kind says and hears, and what it is in
/// the habit of; that it gets a new token after a close with 4401, for instance.
package protocol ClientDialect: Sendable {
  /// The stable name, the same as the ``Dialect``'s.
  var name: String { get }

  /// Which of the vendor's SDKs the clients are; nil where there is one kind only.
  var sdk: String? { get }

  /// What the clients do of their own accord.
  var habits: ClientHabits { get }

  /// The path of the upgrade request below the gateway's address.
  var upgradeTarget: String { get }

  /// What the wire calls the codes of close frames; a code that has no name is not here.
  var closeNames: [UInt16: String] { get }

  /// The upgrade request of a client, with the credentials that it carries.
  func upgrade(of client: ClientIdentity) -> ClientUpgrade

  /// The same, for a client that remembers something: what the request of ``ahead(of:_:)`` brought, say.
  func upgrade(of client: ClientIdentity, _ memory: ClientMemory?) -> ClientUpgrade

  /// A request to the gateway that comes before each dial; nil for none.
  func ahead(of client: ClientIdentity, _ memory: ClientMemory?) -> HTTPRequest?

  /// Takes the answer, of a status of success, to that request. Returns what is wrong with it as a name for the report; nil
  /// if the client may dial.
  func heed(_ response: HTTPResponse, of client: ClientIdentity, _ memory: ClientMemory?) -> String?

  /// What the client says on the wire; nil if it says nothing: where the upgrade carries the credentials there is no
  /// message to connect with.
  func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame?

  /// What the gateway said; nil for what a client has no need to understand.
  func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice?

  /// What each client remembers between messages; nil where a message says everything by itself.
  func memory(of client: ClientIdentity) -> ClientMemory?

  /// What the client says on the wire, in several frames if need be.
  func frames(_ message: ClientMessage, of client: ClientIdentity, _ memory: ClientMemory?) -> [Frame]

  /// Hands to `hear` what the gateway said, one notice after the other; nil for what a client has no need to understand.
  /// What a message means may hang on the phase, which each notice may change.
  func hear(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, by client: () -> (ClientPhase?, ClientIdentity),
    _ memory: ClientMemory?, _ hear: (ServerNotice?) -> Void)

  /// The gateway has ended the connection: the code of its close frame, nil for none, and its text.
  func heardEnd(_ code: UInt16?, _ text: String?, of client: () -> ClientIdentity)

  /// When a token ends, as far as it says so itself; nil where it does not.
  func end(of token: Credentials) -> WallTime?

  /// The HTTP request that makes the user known to the token provider before the first token; nil if none is needed. Its
  /// answer does not matter: the user may be known already.
  func registration(of user: UserID) -> HTTPRequest?

  /// The HTTP request that asks the token provider, at `now`, for a token.
  func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest

  /// The token in the provider's answer; nil if it holds none.
  func token(in response: HTTPResponse) -> Credentials?

  /// The HTTP request to the gateway that renews the client's session key with its token; nil if there are no such keys.
  func keyRequest(of client: ClientIdentity) -> HTTPRequest?

  /// The session key in the gateway's answer, or the number of its error; nil if it holds neither.
  func key(in response: HTTPResponse) -> SessionKeyAnswer?
}

// What holds for a dialect that says nothing else.

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
}

/// A client's knowledge of itself when it connects or speaks: whose it is, its token, and the name that the gateway
/// gave its connection, `conn_0_17` for instance.
package struct ClientIdentity: Hashable, Sendable {
  package var user: UserID
  package var token: Credentials?
  /// What the gateway gave it to come back with; nil if there is none, or it is not to be used.
  package var key: Credentials?
  /// What the gateway called its connection.
  package var connection: String?
  /// The gateway's greeting, for clients that send it back.
  package var greeting: String?
  /// Tells this client from others of the same user.
  package var number: UInt64
  /// Tells its messages apart.
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

/// An upgrade request as a dialler takes it: `GET /ws?token=…` with the subprotocols that it offers, for instance.
package struct ClientUpgrade: Hashable, Sendable {
  package var request: HTTPRequest
  package var subprotocols: [String]

  package init(_ request: HTTPRequest, subprotocols: [String] = []) {
    self.request = request
    self.subprotocols = subprotocols
  }
}

/// A message of a fleet's client, before its dialect has words for it: a token to log in with, or bytes that mean
/// nothing, for instance.
package enum ClientMessage: Hashable, Sendable {
  case connect(Credentials)
  case refresh(Credentials)
  case ping
  /// Bytes that mean nothing in the dialect.
  case garbage
  /// What a ``ServerNotice/cue(_:)`` of that number asks for.
  case cued(Int)
}

/// An answer of the gateway to a client that asks for a new session key: the key, or the number of the error, which
/// says whether to come back with a token, say.
package enum SessionKeyAnswer: Hashable, Sendable {
  case key(Credentials)
  case refused(number: Int)
}

/// The life that a token asked of the provider shall have: an hour from now, for instance, or up to a time that a whole
/// storm shares.
package enum TokenLife: Hashable, Sendable {
  case lasting(Duration)
  case until(WallTime)
}
