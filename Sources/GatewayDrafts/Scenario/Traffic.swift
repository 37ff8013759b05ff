internal import GatewayCore

/// The clients in a recording or a HAR file: their connections, tokens and requests for tokens, without messages. Times are in
/// milliseconds since an arbitrary start.
package struct Traffic: Sendable {
  /// A connection of a client.
  struct Connection: Sendable {
    /// Nil if the recording began later.
    var openedAt: Int64?
    /// When the client asked for the token that it showed; nil if that is not known.
    var askedAt: Int64?
    var loggedInAt: Int64?
    var endedAt: Int64?
    /// The first and the last line about it.
    let seenAt: Int64
    var lastAt: Int64
    /// The number of its wire in ``wires``.
    var wire: Int?
    var user: Name?
    /// The first token that it showed.
    var token: Name?
    /// How long its tokens live; nil if that is not known.
    var life: Int64?
    /// How many messages of the gateway were searched for a life.
    var searched = 0
  }

  /// An answered request over HTTP, or of a gateway to its token provider.
  struct Call: Sendable {
    let answeredAt: Int64
    /// Nil if it is not known.
    let took: Int64?
    let status: Int
    /// The number of its method and path.
    let route: Int
    /// Whether the answer has a token that was not seen before.
    let isOfToken: Bool
  }

  var connections: [Connection] = []
  var calls: [Call] = []
  /// The names of the wires of connections, in the order of their first connections.
  var wires: [Name] = []
  /// The last time of the recording.
  var endsAt: Int64 = 0
  var refusedUpgrades = 0
  var lost = 0
  /// How many connections and requests were too many.
  var leftOut = 0
  var isHAR = false
  /// Whether the file ends within a line, and whether the recording has its last line.
  var isCut = false
  var hasEnd = true

  /// The most wires and routes that are told apart.
  static let namesMax = 1_000
}
