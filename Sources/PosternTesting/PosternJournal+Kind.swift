internal import GatewayRuntime

extension PosternJournal {
  /// The kind of a line, e.g. a refresh request.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    let kind: JournalKind

    init(_ kind: JournalKind) {
      self.kind = kind
    }

    /// The word that it goes by in the control API, e.g. `refresh_requested`.
    public var name: String { kind.rawValue }

    /// Its name.
    public var description: String { name }

    /// The upgrade was admitted, and the socket is open.
    public static let connectionOpened = Kind(.connectionOpened)
    /// An HTTP error in place of the 101.
    public static let upgradeRefused = Kind(.upgradeRefused)
    /// Credentials are judged that are to let somebody in.
    public static let loginAsked = Kind(.loginAsked)
    /// The credentials were good.
    public static let loggedIn = Kind(.loggedIn)
    /// They were not.
    public static let loginRefused = Kind(.loginRefused)
    /// The user left; the connection stays.
    public static let loggedOut = Kind(.loggedOut)
    /// The gateway asks for another token.
    public static let refreshRequested = Kind(.refreshRequested)
    /// Another token has taken the place of the one before.
    public static let refreshed = Kind(.refreshed)
    /// Another token was refused.
    public static let refreshRefused = Kind(.refreshRefused)
    /// A message that nobody understands.
    public static let malformed = Kind(.malformed)
    /// The token's life had ended when the gateway asked for another.
    public static let tokenExpired = Kind(.tokenExpired)
    /// A revocation takes in the session's token.
    public static let revoked = Kind(.revoked)
    /// An operator, or the server on its own account, wants something of the connection.
    public static let ordered = Kind(.ordered)
    /// The gateway begins to close the connection.
    public static let cutOff = Kind(.cutOff)
    /// The connection has ended, by the gateway, its peer or the network.
    public static let closed = Kind(.closed)
    /// A message came in.
    public static let messageIn = Kind(.messageIn)
    /// A message went out.
    public static let messageOut = Kind(.messageOut)
    /// An HTTP request has its answer.
    public static let httpAnswered = Kind(.httpAnswered)
    /// The built-in token provider was asked for a token of the user.
    public static let providerAsked = Kind(.providerAsked)
    /// It made one.
    public static let providerMinted = Kind(.providerMinted)
    /// It failed, as configured.
    public static let providerFailed = Kind(.providerFailed)
    /// It had no room for the request.
    public static let providerRefused = Kind(.providerRefused)
    /// Something went wrong on purpose: a fault befell somebody.
    public static let faulted = Kind(.faulted)
  }
}
