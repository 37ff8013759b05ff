internal import GatewayRuntime

extension PosternJournal {
  /// The kind of a line, e.g. that a client was asked for another token.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    let kind: JournalKind

    init(_ kind: JournalKind) {
      self.kind = kind
    }

    /// Its name in the control API, e.g. `refresh_requested`.
    public var name: String { kind.rawValue }

    /// Its name.
    public var description: String { name }

    /// The upgrade was accepted, and the socket is open.
    public static let connectionOpened = Kind(.connectionOpened)
    /// The upgrade was answered with an HTTP error instead of 101.
    public static let upgradeRefused = Kind(.upgradeRefused)
    /// The gateway verifies credentials for a login.
    public static let loginAsked = Kind(.loginAsked)
    /// The login was accepted.
    public static let loggedIn = Kind(.loggedIn)
    /// The login was refused.
    public static let loginRefused = Kind(.loginRefused)
    /// The user logged out; the connection stays open.
    public static let loggedOut = Kind(.loggedOut)
    /// The gateway requests another token.
    public static let refreshRequested = Kind(.refreshRequested)
    /// Another token has replaced the previous one.
    public static let refreshed = Kind(.refreshed)
    /// Another token was refused.
    public static let refreshRefused = Kind(.refreshRefused)
    /// A message could not be understood.
    public static let malformed = Kind(.malformed)
    /// The token had expired when the gateway requested another.
    public static let tokenExpired = Kind(.tokenExpired)
    /// A revocation affects the session's token.
    public static let revoked = Kind(.revoked)
    /// An operator, or the server by itself, gave an order for the connection.
    public static let ordered = Kind(.ordered)
    /// The gateway begins to close the connection.
    public static let cutOff = Kind(.cutOff)
    /// The connection has ended, by the gateway, its peer or the network.
    public static let closed = Kind(.closed)
    /// A message was received.
    public static let messageIn = Kind(.messageIn)
    /// A message was sent.
    public static let messageOut = Kind(.messageOut)
    /// An HTTP request was answered.
    public static let httpAnswered = Kind(.httpAnswered)
    /// The built-in token provider was asked for a token of the user.
    public static let providerAsked = Kind(.providerAsked)
    /// The provider made a token.
    public static let providerMinted = Kind(.providerMinted)
    /// The provider failed, as configured.
    public static let providerFailed = Kind(.providerFailed)
    /// The provider had no room for the request.
    public static let providerRefused = Kind(.providerRefused)
    /// A logout, a security event or a revocation came from outside.
    public static let signalTaken = Kind(.signalTaken)
    /// A logout, a security event or a revocation from outside was refused.
    public static let signalRefused = Kind(.signalRefused)
    /// The application's backend is asked about a user.
    public static let outboundAsked = Kind(.outboundAsked)
    /// The application's backend has answered, or gave no usable answer.
    public static let outboundAnswered = Kind(.outboundAnswered)
    /// A session goes on although the application's backend cannot be asked about it.
    public static let graceGiven = Kind(.graceGiven)
    /// A webhook was sent to the application's backend, or could not be.
    public static let webhookSent = Kind(.webhookSent)
    /// An ordered fault affected a client.
    public static let faulted = Kind(.faulted)
  }
}
