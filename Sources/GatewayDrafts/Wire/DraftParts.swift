/// The members of a drafted description.
struct DraftParts {
  let recording: Recording
  let framing: DraftFraming
  let stories: [DraftStory]
  let main: DraftStory
  let tokens: Set<String>
  private(set) var missing: [String] = []
  /// The rules in their order, their keys, and the shapes that have a rule.
  private var rules: [String] = []
  private var keys: Set<String> = []
  private var ruled: Set<String> = []
  private var says: [String] = []
  private var answers: [String] = []
  private let holes: DraftHoles
  private let pinging: DraftPings?
  private let renewals: DraftRenewals
  /// The request ahead of the upgrade; nil for none.
  private let before: DraftBefore?
  /// The request over HTTP that renews; nil for none.
  private let request: DraftRenewalRequest?
  /// The most kinds of message that a draft has a rule `ignore` for.
  private static let othersMax = 64
  /// The usual `grace`, in milliseconds. A connection that lived on for longer proves no other.
  private static let graceMax: Int64 = 25_000
  private static let graceMin: Int64 = 100
  /// The largest example of a message of the gateway, in bytes.
  private static let exampleMax = 8_192

  init(
    _ recording: Recording, _ framing: DraftFraming, _ stories: [DraftStory], _ main: DraftStory, _ tokens: Set<String>,
    _ renewals: DraftRenewals
  ) {
    (self.recording, self.framing, self.stories, self.main, self.tokens) = (recording, framing, stories, main, tokens)
    holes = DraftHoles(recording, main, tokens)
    self.renewals = renewals
    before = DraftBefore(recording, main, tokens, holes)
    request = DraftRenewalRequest(recording, main, before, holes)
    pinging = DraftPings(stories, tokens)
  }

  mutating func text(named name: String) -> String {
    let ends = DraftEnds(stories, recording)
    let way = how(ends)
    var lines = ["  \"wire\": 1,", "  \"name\": \(JSONTree.quoted(name)),"]
    if let before { lines.append("  \(before.member)") }
    lines.append("  \(connect)")
    if let member = framing.member { lines.append("  \(member)") }
    login()
    pings()
    renewal(way)
    goodbyes(ends)
    others()
    lines += ["  \"say\": {"] + says.map { "    \($0)" } + ["  },"]
    if let opening { lines.append("  \(opening)") }
    lines += ["  \"hear\": ["] + rules.map { "    \($0)" } + ["  ],"]
    lines += ends.member(isHAR: recording.isHAR, renewals.refusals).map { "  \($0)" }
    lines.append("  \(refresh(way, ends))")
    if way == .none { missing.append("a renewal: \(renewals.lack)") }
    lines += serving(ends)
    if main.connection.upgrade == nil { missing.append("the path of the upgrade: the recording began after it") }
    let head =
      "  // Drafted by postern wire draft from \(stories.count) connections. Read it before you use it; \"guess\" marks what one\n"
      + "  // recording cannot prove. postern wire check says what is missing."
    let entries = recording.isHAR ? ["  // A line is the number of an entry of the HAR file."] : []
    return (["{", head] + entries + lines + ["}"]).joined(separator: "\n")
  }

  // MARK: Connecting

  private var connect: String {
    guard let upgrade = main.connection.upgrade else { return "\"connect\": {}," }
    var parts = ["\"path\": \(JSONTree.quoted(holes.address(upgrade.path)))"]
    let query: [String] = upgrade.query.compactMap { pair in
      let value = before?.hole(for: pair.value) ?? holes.address(pair.value)
      if value.utf8.elementsEqual(pair.value.utf8), isNewEachTime(pair) { return nil }
      return "\(JSONTree.quoted(pair.name)): \(JSONTree.quoted(value))"
    }
    if !query.isEmpty { parts.append("\"query\": { \(query.joined(separator: ", ")) }") }
    let fields = upgrade.headers.filter {
      DraftUnit.name(in: $0.value, among: tokens) != nil && !Self.isProtocol($0.name)
    }
    if !fields.isEmpty {
      let texts = fields.map { "\(JSONTree.quoted($0.name)): \(JSONTree.quoted(holes.address($0.value)))" }
      parts.append("\"headers\": { \(texts.joined(separator: ", ")) }")
    }
    if let offered = upgrade.headers.first(where: { Self.isProtocol($0.name) }) {
      let names = offered.value.split(separator: ",").map {
        JSONTree.quoted(holes.address(String($0.drop { $0 == " " })))
      }
      parts.append("\"subprotocols\": [\(names.joined(separator: ", "))]")
    }
    return "\"connect\": { \(parts.joined(separator: ", ")) },"
  }

  /// Whether each of several connections has a value of its own at that place of the query, such as the time.
  private func isNewEachTime(_ pair: Recording.Pair) -> Bool {
    let values = stories.compactMap { story in
      story.connection.upgrade?.query.first { $0.name.utf8.elementsEqual(pair.name.utf8) }?.value
    }
    return values.count > 1 && Set(values.map { Array($0.utf8) }).count == values.count
  }

  private static func isProtocol(_ name: String) -> Bool { name.utf8.elementsEqual("sec-websocket-protocol".utf8) }

  private var opening: String? {
    if main.hello != nil { return "\"at_open\": { \"say\": \"hello\" }," }
    if main.login != nil { return main.steps.isEmpty ? "\"at_open\": { \"say\": \"login\" }," : nil }
    return main.accepted == nil ? "\"at_open\": { \"is\": \"logged_in\" }," : nil
  }

  // MARK: The login

  /// The client's messages that make up the login: the first one. In a protocol of lines the messages right behind it belong to
  /// it too, except the answers to the gateway's pings.
  private var loginParts: [DraftUnit] {
    guard let login = main.login else { return [] }
    var (parts, asked) = ([main.units[login]], 0)
    guard framing.end == "\r\n" else { return parts }
    for unit in main.units[(login + 1)...] {
      if unit.isOfClient {
        if asked > 0, !unit.isPing { asked -= 1 } else { parts.append(unit) }
      } else {
        guard unit.isOnlyPing else { break }
        asked += 1
      }
    }
    return parts
  }

  private mutating func login() {
    let parts = loginParts
    if let hello = main.hello.map({ main.units[$0] }) {
      says.append("\"hello\": \(holes.request(hello)), // line \(hello.line)")
    }
    if !parts.isEmpty {
      let others = [start, main.renewals.first.map { main.units[$0.said] }].compactMap { $0 }
      let texts = parts.map { holes.request($0, unlike: others) }
      says.append(
        "\"login\": \(texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"), // line \(parts[0].line)")
    }
    for (number, index) in main.steps.enumerated() {
      let unit = main.units[index]
      let isLast = number + 1 == main.steps.count
      rule(
        unit, "\"is\": \"step\"" + (isLast ? ", \"say\": \"login\"" : ""),
        during: main.hello == nil ? "opening" : "logging_in")
    }
    guard let accepted = main.accepted else { return }
    let unit = main.units[accepted]
    let during = main.login == nil ? "opening" : "logging_in"
    if let start { says.append("\"start\": \(holes.request(start)), // line \(start.line)") }
    rule(
      unit,
      "\"is\": \"logged_in\"" + (start == nil ? "" : ", \"say\": \"start\"")
        + take(unit, and: [("connection", request?.name?.pointer)]),
      during: during, id: parts.first.flatMap { id(of: $0, "login", in: unit) }, tellsLife: true,
      naming: request?.name?.pointer)
    for story in stories {
      guard let refused = story.refusal(unlike: unit) else { continue }
      rule(
        refused, "\"is\": \"login_refused\", \"then\": \"renew\"", during: during,
        id: parts.first.flatMap { id(of: $0, "login", in: refused) }, comment: "guess: \"then\"")
    }
  }

  /// The message that each client sends as soon as it is logged in, e.g. a subscription. Nil if some send nothing, or a ping.
  ///
  /// One connection in which it stands right behind the answer to the login shows that nothing else caused it.
  private var start: DraftUnit? {
    let pings = [pinging?.ofClient?.ping, pinging?.ofGateway?.answer].compactMap { $0?.shape }
    let starts = stories.lazy.compactMap { story in story.start.map { story.units[$0] } }
    guard let start = starts.first(where: { unit in !pings.contains { $0.utf8.elementsEqual(unit.shape.utf8) } })
    else { return nil }
    let isOfAll = stories.allSatisfy { story in
      guard let said = story.saidFirst(besides: pings) else { return story.endsAtLogin }
      return said.shape.utf8.elementsEqual(start.shape.utf8)
    }
    return isOfAll ? main.saidFirst(besides: pings) : nil
  }

  /// Returns the hole for the number of the message that an answer answers.
  private func id(of asked: DraftUnit, _ name: String, in answer: DraftUnit) -> (pointer: String, hole: String)? {
    guard let number = answer.number, asked.number?.pointer == number.pointer else { return nil }
    if case .number = number.value { return (number.pointer, "{{sent.\(name):number}}") }
    return (number.pointer, "{{sent.\(name)}}")
  }

  private func take(_ unit: DraftUnit, and more: [(name: String, pointer: String?)] = []) -> String {
    let life = holes.life(in: unit).map { ($0.name, Optional($0.pointer)) }
    let taken = (more + [life].compactMap { $0 }).compactMap { name, pointer in
      pointer.map { "\(JSONTree.quoted(name)): \(JSONTree.quoted($0))" }
    }
    return taken.isEmpty ? "" : ", \"take\": { \(taken.joined(separator: ", ")) }"
  }

  // MARK: The renewal

  enum How: String {
    case asked, timer, http, pushed, reconnect, none
  }

  private func how(_ ends: DraftEnds) -> How {
    guard main.renewals.isEmpty else { return asking == nil ? .timer : .asked }
    if request != nil { return .http }
    if !main.pushes.isEmpty { return .pushed }
    return ends.renews || ends.returns ? .reconnect : .none
  }

  /// The gateway's request for a token: a kind of message that comes once before each renewal, and before nothing else. Pings
  /// may come between the two.
  private var asking: DraftUnit? {
    let places = main.renewals.isEmpty ? main.requestPlaces : main.renewals.map(\.said)
    guard let accepted = main.accepted, let first = places.first, accepted < first else { return nil }
    let others = [pinging?.ofGateway?.ping, pinging?.ofClient?.answer].compactMap { $0?.shape }
    var (windows, number): ([[String: Int]], Int) = ([[:]], 0)
    for index in main.units.indices where index > accepted {
      while number < places.count, places[number] <= index {
        number += 1
        windows.append([:])
      }
      if !main.units[index].isOfClient { windows[number][main.units[index].shape, default: 0] += 1 }
    }
    windows += Array(repeating: [:], count: places.count - number)
    // The recording may end before the last request is answered.
    let last = places.count > 1 ? 1 : 0
    var candidates = ((accepted + 1)..<first).reversed().lazy.map { main.units[$0] }.filter { unit in
      !unit.isOfClient && !unit.isPing && !others.contains { $0.utf8.elementsEqual(unit.shape.utf8) }
    }.prefix(places.count > 1 ? DraftStory.answersMax : 1).makeIterator()
    while let unit = candidates.next() {
      let shape = unit.shape
      if windows.dropLast().allSatisfy({ $0[shape] == 1 }), windows.last?[shape] ?? 0 <= last { return unit }
    }
    return nil
  }

  private mutating func renewal(_ how: How) {
    if how == .http, let asking { rule(asking, "\"is\": \"ask\"", during: nil) }
    if how == .pushed, let push = main.pushes.first {
      let unit = main.units[push.index]
      let taken = take(unit, and: [("token", push.pointer)])
      rule(unit, "\"is\": \"pushed\"\(taken)", during: nil, tellsLife: true)
    }
    guard how == .asked || how == .timer, let renewal = main.renewals.first else { return }
    let said = main.units[renewal.said]
    says.append("\"renew\": \(holes.request(said)), // line \(said.line)")
    if how == .asked, let asking { rule(asking, "\"is\": \"ask\"", during: nil) }
    guard let answer = renewal.answer.map({ main.units[$0] }) else { return }
    rule(
      answer, "\"is\": \"refreshed\"" + take(answer), during: "refreshing",
      id: id(of: said, "renew", in: answer), tellsLife: true)
  }

  private func refresh(_ how: How, _ ends: DraftEnds) -> String {
    let count = "// \(main.renewals.count) times"
    switch how {
    case .asked: return "\"refresh\": { \"how\": \"asked\", \"say\": \"renew\"\(proof) }, \(count)"
    case .timer:
      return
        "\"refresh\": { \"how\": \"timer\", \"lead\": \"\(holes.lead)\", \"say\": \"renew\"\(proof) }, \(count); guess: the lead"
    case .http:
      let lead = asking == nil ? ", \"lead\": \"\(holes.lead(of: main.requests.map { ($0.start, $0.old) }))\"" : ""
      return "\"refresh\": { \"how\": \"http\"\(lead),\n      \"request\": { \(request?.members ?? "") } }, "
        + "// \(main.requests.count) times, line \(main.requests.first?.exchange.line ?? 0)\(lead.isEmpty ? "" : "; guess: the lead")"
    case .pushed:
      let lead = holes.lead(of: main.pushes.map { (main.units[$0.index].at, $0.old) })
      return
        "\"refresh\": { \"how\": \"pushed\", \"lead\": \"\(lead)\" }, // \(main.pushes.count) times; guess: the lead"
    case .reconnect:
      guard let lead = ends.lead else { return "\"refresh\": { \"how\": \"reconnect\" }," }
      return "\"refresh\": { \"how\": \"reconnect\", \"lead\": \"\(lead)\" }, // guess: the lead"
    case .none: return "\"refresh\": { \"how\": \"none\" }, // no token followed another: record until one is renewed"
    }
  }

  /// The proof of a renewal. Without an answer, it is a connection that outlives the old token: by half of what the shortest
  /// one in the recording did, because others may end sooner.
  private var proof: String {
    guard !main.renewals.contains(where: { $0.answer != nil }) else { return "" }
    let shortest = stories.compactMap { $0.survival(recording) }.min()
    let grace = shortest.flatMap { (Self.graceMin...Self.graceMax).contains($0 / 2) ? $0 / 2 : nil }
    return ", \"proof\": \"survival\""
      + (grace.map { ", \"grace\": \"\($0 < 1_000 ? "\($0)ms" : "\($0 / 1_000)s")\"" } ?? "")
  }

  // MARK: Pings, ends and the rest

  private mutating func pings() {
    guard let pings = pinging else { return }
    if let asked = pings.ofGateway {
      says.append("\"pong\": \(holes.request(asked.answer)), // line \(asked.answer.line)")
      rule(asked.ping, "\"is\": \"alive\", \"say\": \"pong\"", during: nil)
      answers.append("\"ping_every\": \"\(asked.every)s\",")
    }
    if let said = pings.ofClient {
      says.append("\"ping\": \(holes.request(said.ping)), // line \(said.ping.line)")
      rule(said.answer, "\"is\": \"alive\"", during: nil, id: id(of: said.ping, "ping", in: said.answer))
    }
  }

  private mutating func goodbyes(_ ends: DraftEnds) {
    for unit in ends.goodbyes { rule(unit, "\"is\": \"goodbye\", \"then\": \"renew\"", during: nil) }
  }

  private mutating func others() {
    var (count, left) = (0, 0)
    for unit in stories.lazy.flatMap(\.units) where !unit.isOfClient && !ruled.contains(unit.shape) {
      count += 1
      guard count <= Self.othersMax else {
        left += 1
        continue
      }
      rule(unit, "\"is\": \"ignore\"", during: nil, hasExample: false)
    }
    if left > 0 { rules.append("// \(left) messages of other kinds have no rule here") }
  }

  private mutating func rule(
    _ unit: DraftUnit, _ meaning: String, during: String?, id: (pointer: String, hole: String)? = nil,
    hasExample: Bool = true, tellsLife: Bool = false, naming place: String? = nil, comment: String? = nil
  ) {
    guard keys.insert("\(unit.shape)\(during ?? "")\(id?.hole ?? "")").inserted else { return }
    ruled.insert(unit.shape)
    let phase = during.map { "\"during\": \"\($0)\", " } ?? ""
    let example =
      hasExample && unit.text.utf8.count <= Self.exampleMax
      ? ",\n      \"as\": \(holes.answer(unit, id: id, tellsLife: tellsLife, naming: place))" : ""
    rules.append(
      "{ \"when\": \(unit.when(id)), \(phase)\(meaning)\(example) }, // line \(unit.line)"
        + (comment.map { "; \($0)" } ?? ""))
  }

  private func serving(_ ends: DraftEnds) -> [String] {
    var lines: [String] = []
    if let code = ends.renewingCode { lines.append("\"closes\": { \"expired\": \(code), \"refused\": \(code) },") }
    lines += answers
    let heard = DraftAnswers(stories, main, loginParts.map(\.shape), holes).members
    if !heard.isEmpty { lines += ["\"hear\": ["] + heard.map { "  \($0)" } + ["],"] }
    return lines.isEmpty ? [] : ["  \"serve\": {"] + lines.map { "    \($0)" } + ["  },"]
  }
}
