/// The content of a recording or a HAR file: connections with their messages, and HTTP requests. Secrets are names such as
/// `token-1`.
package struct Recording: Sendable {
  package struct Message: Sendable {
    /// Milliseconds since some time that is the same for the whole recording.
    package var at: Int64
    /// The line of the recording, or the number of the entry of a HAR file.
    package var line: Int
    package var isOfClient: Bool
    package var text: String
    package var isBinary: Bool
    /// Whether the text is the JSON of a message in MessagePack.
    package var isPacked = false
  }

  package struct Pair: Sendable {
    package var name: String
    package var value: String
  }

  /// A request and its answer.
  package struct Exchange: Sendable {
    package var at: Int64
    package var line: Int
    package var method: String
    package var path: String
    package var query: [Pair]
    package var headers: [Pair]
    package var body: String?
    package var status: Int
    package var answerHeaders: [Pair]
    package var answer: String?
    /// How long the answer took, in milliseconds; nil if it is not known.
    package var took: Int64?

    func header(_ name: String) -> String? {
      headers.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
  }

  /// The end of a connection.
  package struct End: Sendable {
    package var at: Int64
    package var code: Int
    package var isOfGateway: Bool
    /// Whether the client's transport broke off, without a close frame.
    package var isLost = false
    /// Whether an operator at the proxy ordered it.
    package var isOrdered = false
  }

  /// A request for a new token: a message of the gateway's, or an order at the proxy.
  package struct Ask: Sendable {
    package var at: Int64
    package var line: Int
    /// Whether the token was at its end.
    package var isExpiry: Bool
  }

  package struct Connection: Sendable {
    package var openedAt: Int64
    package var line: Int
    /// The client's upgrade; nil if the recording began later.
    package var upgrade: Exchange?
    package var messages: [Message] = []
    package var asks: [Ask] = []
    var hasOrderedEnd = false
    package var end: End?
  }

  /// A token of the recording.
  package struct Token: Sendable {
    /// In milliseconds since 1970.
    package var issued: Int64?
    package var ends: Int64?
    package var user: String?
  }

  package var connections: [Connection] = []
  /// The other requests.
  package var exchanges: [Exchange] = []
  /// The upgrades that were refused.
  package var refusals: [Exchange] = []
  /// How many messages of clients the file has without their content.
  package var messagesLeftOut = 0
  /// The names of the wires that were read, as the head of a recording has them.
  package var wires: [String] = []
  package var tokens: [String: Token] = [:]
  /// The time of day at time 0, in milliseconds since 1970; nil if it is not known.
  package var began: Int64?
  package var isHAR = false
  /// How many lines were lost while it was made.
  package var lost = 0

  /// The largest file.
  package static let sizeMax = 256 << 20
  /// The most connections and requests.
  static let entriesMax = 1_000_000
  /// The latest time of a message or a token: some three hundred years.
  static let timeMax = 10_000_000_000_000.0

  /// Why a file is no recording.
  package struct Malformed: Error, CustomStringConvertible {
    package let description: String
  }

  /// Reads a recording or a HAR file.
  package init(reading bytes: [UInt8]) throws(Malformed) {
    guard bytes.count <= Self.sizeMax else { throw Malformed(description: "larger than \(Self.sizeMax >> 20) MiB") }
    if let har = try HARReader.read(bytes) { self = har } else { self = try RecordingReader.read(bytes) }
  }

  init() {}

  /// Returns a time in whole milliseconds; nil if it is none.
  static func time(_ number: Double?) -> Int64? {
    number.flatMap { $0.isFinite && abs($0) <= timeMax ? Int64($0) : nil }
  }
}
