/// One connection of a recording, told by what its messages were for.
struct DraftStory {
  let connection: Recording.Connection
  let units: [DraftUnit]
  /// The token of the login.
  private(set) var first: String?
  /// The last token of the connection and where the login is in `units`; nil if the upgrade is the login.
  private(set) var token: String?
  private(set) var login: Int?
  /// The client's message ahead of the gateway's messages that it answers with the login, e.g. `HELLO` of WAMP.
  private(set) var hello: Int?
  /// The messages of the gateway before the login.
  private(set) var steps: [Int] = []
  /// The answer to the login.
  private(set) var accepted: Int?
  /// The message that the client sends as soon as it is logged in.
  private(set) var start: Int?
  /// The message with another token, the gateway's message before it, and its answer.
  private(set) var renewals: [(said: Int, before: Int?, answer: Int?)] = []
  /// The tokens that the gateway pushed, and the requests over HTTP that renewed the connection.
  private(set) var pushes: [DraftPush] = []
  private(set) var requests: [DraftRequest] = []
  let isTokenInUpgrade: Bool

  /// How many later messages are searched for an answer, and how many renewals are looked at.
  static let answersMax = 1_000
  private static let renewalsMax = 1_000
  /// A message that every client says later is no part of the login, in milliseconds.
  private static let handshakeMax: Int64 = 5_000
  /// A token that comes that long after the upgrade is no part of its answer, in milliseconds.
  private static let pushMin: Int64 = 1_000

  /// Returns the kinds of the messages with which clients open their connections. On a busy machine some say theirs late.
  static func openers(_ connections: [(connection: Recording.Connection, units: [DraftUnit])]) -> Set<String> {
    var shapes: Set<String> = []
    for (connection, units) in connections {
      guard let first = units.first, first.isOfClient, first.at - connection.openedAt <= handshakeMax else { continue }
      shapes.insert(first.shape)
    }
    return shapes
  }

  init(
    _ connection: Recording.Connection, _ units: [DraftUnit], tokens: Set<String>, openers: Set<String>
  ) {
    (self.connection, self.units) = (connection, units)
    let said = (connection.upgrade?.query ?? []) + (connection.upgrade?.headers ?? [])
    let shown = said.lazy.compactMap { DraftUnit.name(in: $0.value, among: tokens) }.first
    isTokenInUpgrade = shown != nil
    token = shown
    login = units.firstIndex { $0.isOfClient && $0.name(among: tokens) != nil }
    if let login, let shown, units[login].name(among: tokens) != shown { self.login = nil }
    if shown != nil, login == nil, let first = units.first, first.isOfClient,
      openers.contains(first.shape)
    {
      login = 0
    }
    guard login != nil || isTokenInUpgrade else { return }
    let place = login ?? -1
    token = shown ?? login.flatMap { units[$0].name(among: tokens) }
    first = token
    if login != nil {
      steps = units.indices.filter { $0 < place && !units[$0].isOfClient && !units[$0].isOnlyPing }
      if !steps.isEmpty, units[0].isOfClient { hello = 0 }
    }
    let answers = units.indices.lazy.filter {
      $0 > place && !units[$0].isOfClient
        && (place < 0
          ? !Self.isLatePush(units[$0], of: connection, shown, tokens) : Self.mayAnswer(units[$0], units[place]))
    }
    // The gateway may ping while it checks the token.
    accepted = answers.first { place < 0 || !units[$0].isOnlyPing } ?? answers.first
    guard let accepted else { return }
    if accepted + 1 < units.count, units[accepted + 1].isOfClient, units[accepted + 1].name(among: tokens) == nil,
      units[accepted + 1].at - units[accepted].at <= Self.handshakeMax
    {
      start = accepted + 1
    }
    for index in units.indices where index > accepted && units[index].isOfClient {
      guard let name = units[index].name(among: tokens), name != token else { continue }
      guard renewals.count < Self.renewalsMax else { break }
      let before = ((accepted + 1)..<max(index, accepted + 1)).suffix(Self.answersMax).last { !units[$0].isOfClient }
      let later = ((index + 1)..<max(units.count, index + 1)).prefix(Self.answersMax).filter { !units[$0].isOfClient }
      let answer =
        later.first { units[$0].answers(units[index]) }
        ?? later.first { units[$0].number == nil && units[$0].json?.isEmptyObject != true && !units[$0].isPing }
      renewals.append((index, before, answer))
      token = name
    }
  }

  /// Whether a message brings another token, and too late to be the answer to an upgrade.
  private static func isLatePush(
    _ unit: DraftUnit, of connection: Recording.Connection, _ shown: String?, _ tokens: Set<String>
  ) -> Bool {
    unit.at - connection.openedAt > pushMin
      && unit.json?.token(among: tokens, besides: Set([shown].compactMap(\.self))) != nil
  }

  /// Notes the tokens that the gateway pushed.
  mutating func add(_ pushes: [DraftPush]) {
    self.pushes = pushes
    token = pushes.last?.token ?? token
  }

  /// Notes a request over HTTP that renewed the connection.
  mutating func add(_ request: DraftRequest) {
    requests.append(request)
    token = request.token
  }

  /// Whether the connection ended at once after the login.
  var endsAtLogin: Bool {
    guard let accepted else { return true }
    guard accepted + 1 < units.count else { return true }
    return connection.end.map { $0.at - units[accepted].at <= Self.handshakeMax } ?? false
  }

  /// Returns the client's first message after the login whose kind is none of `others`.
  func saidFirst(besides others: [String]) -> DraftUnit? {
    guard let accepted else { return nil }
    return units[(accepted + 1)...].first { unit in
      unit.isOfClient && !others.contains { $0.utf8.elementsEqual(unit.shape.utf8) }
    }
  }

  /// Returns whether a message of the gateway may answer another by its number.
  private static func mayAnswer(_ unit: DraftUnit, _ asked: DraftUnit) -> Bool {
    asked.number == nil || unit.number == nil && unit.json?.isEmptyObject != true || unit.answers(asked)
  }
}

extension JSONTree {
  var isEmptyObject: Bool { self == .object([]) }
}
