internal import GatewayCore

/// A token that the gateway sent over an open connection by itself.
struct DraftPush {
  /// The place of the message among the connection's.
  let index: Int
  let token: String
  let pointer: String
  /// The token of the connection until then.
  let old: String?
}

/// A client's request over HTTP that renewed its open connection.
struct DraftRequest {
  let exchange: Recording.Exchange
  let start: Int64
  let token: String
  /// The token of the connection until then.
  let old: String?
  /// Whether the answer brought the token. Else the request showed it.
  let isBrought: Bool
}

/// What clients did after a refused request: how often they showed another token, or the same one.
struct DraftRefusals {
  var renewed = 0
  var kept = 0
}

/// The finder of renewals without a message of the client's: tokens that the gateway pushes, and requests over HTTP.
struct DraftRenewals {
  /// Requests of one method to one path.
  struct Kind: Hashable {
    let method: String
    let path: String
  }

  /// The requests of one kind that may have renewed connections.
  fileprivate struct Candidates {
    var requests: [(story: Int, request: DraftRequest)] = []
    /// How many others were accepted while the client's connection was open.
    var others = 0
    var isNamed = false
    var tellsLife = false
    var isSurvived = false
    var brought = 0
    /// The connections' tokens, if this kind renews them.
    var current: [Int: String] = [:]
    /// The connections whose last request was refused, with its status and its token.
    var refused: [Int: (status: Int, token: String?)] = [:]
    var refusals: [Int: DraftRefusals] = [:]
  }

  private let recording: Recording
  private let tokens: Set<String>
  /// The last time of each connection, if it ended.
  private let ends: [Int64]
  /// The connections by what they may be named by, by their users and by their first tokens.
  private var named: [String: [Int]] = [:]
  private var ofUser: [String: [Int]] = [:]
  private var holders: [String: [Int]] = [:]
  private var kinds: [Kind: Candidates] = [:]
  private(set) var refusals: [Int: DraftRefusals] = [:]
  /// Why no renewal is described.
  private(set) var lack = "no token followed another"

  /// How many connections of one user are looked at for one request.
  private static let ownersMax = 64
  private static let kindsMax = 1_000
  private static let requestsMax = 10_000
  /// An end that much before a token's own is one for want of a token, in milliseconds.
  private static let endEarly: Int64 = 1_000
  /// The latest such end: a gateway lets a connection live on for a while.
  private static let endLate: Int64 = 30_000
  private static let methods = ["GET", "POST", "PUT", "PATCH"]

  init(_ recording: Recording, _ tokens: Set<String>, in stories: inout [DraftStory]) {
    (self.recording, self.tokens) = (recording, tokens)
    ends = Self.ends(of: stories, recording)
    let shown = Self.shown(recording, stories, tokens)
    for index in stories.indices { findPushes(in: &stories[index], shown) }
    // A client that sends its new token over the connection needs no other way.
    guard !recording.exchanges.isEmpty, stories.allSatisfy({ $0.renewals.isEmpty }) else { return }
    let (ahead, given) = Self.ahead(of: stories, recording, tokens)
    for (index, story) in stories.enumerated() { note(story, index, given) }
    let starts = recording.exchanges.map { $0.start(isHAR: recording.isHAR) }
    for place in recording.exchanges.indices.sorted(by: { (starts[$0], $0) < (starts[$1], $1) }) {
      let exchange = recording.exchanges[place]
      let kind = Self.kind(of: exchange)
      if !ahead.contains(kind) { read(exchange, starts[place], kind, stories) }
    }
    choose(&stories)
  }

  // MARK: Connections

  /// Returns when each connection was over. A HAR file does not tell; a client has one at a time there.
  private static func ends(of stories: [DraftStory], _ recording: Recording) -> [Int64] {
    var next: [String: Int64] = [:]
    var ends = Array(repeating: Int64.max, count: stories.count)
    for index in stories.indices.reversed() {
      let story = stories[index]
      let user = story.first.flatMap { recording.tokens[$0]?.user }
      ends[index] = story.connection.end?.at ?? (recording.isHAR ? user.flatMap { next[$0] } ?? .max : .max)
      if let user { next[user] = story.connection.openedAt }
    }
    return ends
  }

  private mutating func note(_ story: DraftStory, _ index: Int, _ given: Set<String>) {
    guard let first = story.first else { return }
    holders[first, default: []].append(index)
    let user = recording.tokens[first]?.user
    if let user { ofUser[user, default: []].append(index) }
    let shown = story.connection.upgrade?.query.map(\.value).filter { given.contains($0) } ?? []
    let names = Set(shown + story.names.map(\.text)).subtracting(tokens)
    for name in names where name != user { named[name, default: []].append(index) }
  }

  /// Returns the names of the tokens that clients showed.
  private static func shown(_ recording: Recording, _ stories: [DraftStory], _ tokens: Set<String>) -> Set<String> {
    var shown: Set<String> = []
    for story in stories {
      if let first = story.first { shown.insert(first) }
      for unit in story.units where unit.isOfClient { if let name = unit.name(among: tokens) { shown.insert(name) } }
    }
    for exchange in recording.exchanges { if let name = name(in: exchange, tokens) { shown.insert(name) } }
    return shown
  }

  /// Returns the token that a request shows; nil for none.
  private static func name(in exchange: Recording.Exchange, _ tokens: Set<String>) -> String? {
    let texts = exchange.query.map(\.value) + exchange.headers.map(\.value) + [exchange.body ?? ""]
    return texts.lazy.compactMap { DraftUnit.name(in: $0, among: tokens) }.first
  }

  private static func kind(of exchange: Recording.Exchange) -> Kind {
    let path = exchange.segments.map { segment in
      segment.utf8.contains { (0x30...0x39).contains($0) } ? "*" : segment
    }
    return Kind(method: exchange.method, path: path.joined(separator: "/"))
  }

  /// Returns the kinds of the requests ahead of an upgrade, whose answers have a value that the upgrade shows, and those values.
  private static func ahead(
    of stories: [DraftStory], _ recording: Recording, _ tokens: Set<String>
  ) -> (kinds: Set<Kind>, given: Set<String>) {
    let queries = stories.flatMap { $0.connection.upgrade?.query ?? [] }
    let shown = Set(queries.map(\.value).filter(DraftStory.isName)).subtracting(tokens)
    var (kinds, given): (Set<Kind>, Set<String>) = ([], [])
    guard !shown.isEmpty else { return (kinds, given) }
    for exchange in recording.exchanges {
      let found = exchange.answerTree?.scalars.map(\.text).filter { shown.contains($0) } ?? []
      if !found.isEmpty { kinds.insert(kind(of: exchange)) }
      given.formUnion(found)
    }
    return (kinds, given)
  }

  /// Whether a token may take the place of another: it is of the same user, and ends no earlier.
  private func mayFollow(_ new: String, _ old: String?) -> Bool {
    guard new != old else { return false }
    guard let old, let new = recording.tokens[new], let old = recording.tokens[old] else { return true }
    if let user = new.user, let other = old.user, !user.utf8.elementsEqual(other.utf8) { return false }
    if let end = new.ends, let other = old.ends { return end >= other }
    return true
  }

  /// Whether the connection was alive after the end of its old token, and was not ended for want of the new one.
  private func survives(_ story: DraftStory, _ old: String?) -> Bool {
    guard let began = recording.began, let end = old.flatMap({ recording.tokens[$0]?.ends }) else { return false }
    let last = max(story.connection.end?.at ?? 0, story.units.last?.at ?? 0)
    return began + last > end + Self.endEarly / 2
  }

  /// Whether the gateway ended the connection when its old token was over, although there was a new one.
  private func isEndedDespite(_ story: DraftStory, _ old: String?, _ new: String) -> Bool {
    guard let began = recording.began, let end = story.connection.end, end.isOfGateway,
      let oldEnd = old.flatMap({ recording.tokens[$0]?.ends }), let newEnd = recording.tokens[new]?.ends
    else { return false }
    let late = began + end.at - oldEnd
    return (-Self.endEarly...Self.endLate).contains(late) && began + end.at < newEnd - Self.endEarly
  }

  // MARK: Pushed tokens

  private func findPushes(in story: inout DraftStory, _ everShown: Set<String>) {
    guard story.first != nil else { return }
    var (current, known) = (story.first, Set([story.first].compactMap(\.self)))
    var pushes: [DraftPush] = []
    let begin = story.accepted ?? story.login ?? -1
    for (index, unit) in story.units.enumerated() {
      guard unit.name(among: tokens) != nil else { continue }
      if unit.isOfClient {
        if let name = unit.name(among: tokens) { known.insert(name) }
      } else if index > begin, let found = unit.json?.token(among: tokens, besides: known),
        mayFollow(found.name, current)
      {
        pushes.append(DraftPush(index: index, token: found.name, pointer: found.pointer, old: current))
        known.insert(found.name)
        current = found.name
      }
    }
    let isSure =
      pushes.count > 1 || pushes.contains { everShown.contains($0.token) }
      || pushes.first.map { survives(story, $0.old) } == true
    if isSure { story.add(pushes) }
  }

  // MARK: Requests

  private mutating func read(
    _ exchange: Recording.Exchange, _ start: Int64, _ kind: Kind, _ stories: [DraftStory]
  ) {
    guard kinds[kind] != nil || kinds.count < Self.kindsMax else { return }
    let shown = Self.name(in: exchange, tokens)
    let brought = exchange.answerTree?.token(among: tokens, besides: Set([shown].compactMap(\.self)))?.name
    let owner = owner(of: exchange, start, shown, stories)
    guard let owner else { return }
    var found = kinds[kind] ?? Candidates()
    defer { kinds[kind] = found }
    guard found.requests.count < Self.requestsMax else { return }
    for index in owner.stories {
      let story = stories[index]
      let current = found.current[index] ?? story.token(before: start)
      let isAnother = shown.map { mayFollow($0, current) } == true
      guard (200..<300).contains(exchange.status) else {
        if let last = found.refused[index] { found.note(last, shown) }
        found.refused[index] = (exchange.status, shown)
        continue
      }
      if let last = found.refused.removeValue(forKey: index) { found.note(last, shown) }
      let isBrought = !isAnother && (shown == current || shown == nil && owner.isNamed)
      guard let new = isAnother ? shown : isBrought ? brought : nil, mayFollow(new, current),
        owner.isNamed || !isEndedDespite(story, current, new)
      else {
        found.others += 1
        continue
      }
      found.requests.append(
        (index, DraftRequest(exchange: exchange, start: start, token: new, old: current, isBrought: isBrought)))
      found.current[index] = new
      if holders[new]?.last != index { holders[new, default: []].append(index) }
      found.isNamed = found.isNamed || owner.isNamed
      found.isSurvived = found.isSurvived || survives(story, current)
      found.brought += isBrought ? 1 : 0
      found.tellsLife = found.tellsLife || !isBrought && tellsLife(exchange, new)
    }
  }

  /// Whether the answer has a number with the name of a life.
  private func tellsLife(_ exchange: Recording.Exchange, _ token: String) -> Bool {
    exchange.answerTree.map { tree in
      DraftHoles.life(
        in: tree, besides: [], of: recording.tokens[token], at: recording.began.map { $0 + exchange.at }) != nil
    } == true
  }

  /// Returns the open connections that a request may renew: the one that it names, else those of its token's user.
  private func owner(
    of exchange: Recording.Exchange, _ start: Int64, _ shown: String?, _ stories: [DraftStory]
  ) -> (stories: [Int], isNamed: Bool)? {
    let isOpen = { (index: Int) in stories[index].connection.openedAt <= start && start <= ends[index] }
    for (_, text) in exchange.texts {
      guard let places = named[text], places.count <= Self.ownersMax else { continue }
      let open = places.filter(isOpen)
      if open.count == 1, places.count == 1 || places.count < stories.count { return (open, true) }
    }
    guard let shown else { return nil }
    let all = recording.tokens[shown]?.user.flatMap { ofUser[$0] } ?? holders[shown] ?? []
    let open = all.prefix(all.firstPlace { stories[$0].connection.openedAt > start }).suffix(Self.ownersMax).filter(
      isOpen)
    return open.isEmpty ? nil : (Array(open), false)
  }

  // MARK: The choice

  /// Notes the renewals of the likeliest kind, if one is likely.
  private mutating func choose(_ stories: inout [DraftStory]) {
    let likely = kinds.filter { $0.value.isLikely }
    // The order of a dictionary is another one in each process.
    let best = likely.max { one, other in
      let (a, b) = (one.value.weight(one.key), other.value.weight(other.key))
      return a == b
        ? (other.key.path, other.key.method) < (one.key.path, one.key.method) : a.lexicographicallyPrecedes(b)
    }
    guard let (kind, found) = best else { return }
    guard Self.methods.contains(kind.method) else {
      let method = DraftText.withoutSecrets(kind.method)
      lack = "clients renew by \(method), and a description has GET, POST, PUT and PATCH only"
      return
    }
    refusals = found.refusals
    for (index, request) in found.requests { stories[index].add(request) }
  }
}

extension DraftRenewals.Candidates {
  fileprivate mutating func note(_ refused: (status: Int, token: String?), _ shown: String?) {
    if refused.token == shown {
      refusals[refused.status, default: DraftRefusals()].kept += 1
    } else {
      refusals[refused.status, default: DraftRefusals()].renewed += 1
    }
  }

  /// Whether the answer brought most of the tokens.
  private var isBringing: Bool { brought * 2 > requests.count }

  /// Whether its requests renew: they show it, and there are more of them than of others of that kind. A call of a token
  /// endpoint tells the life of its token too.
  fileprivate var isLikely: Bool {
    requests.count > others && (isNamed || isSurvived || tellsLife && !isBringing)
  }

  /// What speaks for it, the strongest first.
  fileprivate func weight(_ kind: DraftRenewals.Kind) -> [Int] {
    let isTold = ["refresh", "renew"].contains { kind.path.contains(bytesOf: $0) }
    return [
      isNamed ? 1 : 0, tellsLife ? 1 : 0, isTold ? 1 : 0, isSurvived ? 1 : 0, isBringing ? 1 : 0, requests.count,
    ]
  }
}

extension [Int] {
  /// Returns the first place whose element fulfils a condition that all elements behind it fulfil too, or the end.
  fileprivate func firstPlace(where isBeyond: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
