/// The clients' behaviour after the gateway closed their connections.
struct DraftEnds {
  /// How often a client came back with another token, or with the same one, by code.
  private var renewed: [Int: Int] = [:]
  private var kept: [Int: Int] = [:]
  /// The gateway's last words before such an end.
  private(set) var goodbyes: [DraftUnit] = []
  /// Whether a client came back with another token. Either side may have ended the connection.
  private(set) var returns = false

  /// How long before the end of their token clients left by themselves and came back with another, in milliseconds.
  private var leads: [Int64] = []

  /// How long after a client has heard of an end that may be recorded, in milliseconds.
  private static let endLate: Int64 = 5_000
  /// How many later connections are searched for the client's next one.
  private static let nextMax = 1_000

  var renews: Bool { !renewed.isEmpty }

  init(_ stories: [DraftStory], _ recording: Recording) {
    var last: [String: Int] = [:]
    for story in stories {
      for unit in story.units where !unit.isOfClient { last[unit.shape, default: 0] += 1 }
    }
    for (index, story) in stories.enumerated() {
      let end = story.connection.end
      // A HAR file does not tell when a connection ended.
      let silent = recording.isHAR ? story.units.last?.at ?? story.connection.openedAt : nil
      guard let token = story.token, let over = end?.at ?? silent else { continue }
      let user = recording.tokens[token]?.user
      // The client may be back before the end of its old connection is recorded.
      let begins =
        user != nil && end?.isOfGateway == true
        ? min(over, max(over - Self.endLate, story.units.last?.at ?? story.connection.openedAt)) : over
      let next = stories[(index + 1)...].prefix(Self.nextMax).first { story in
        guard let other = story.first, story.connection.openedAt >= begins else { return false }
        return user == nil || recording.tokens[other]?.user.map { $0.utf8.elementsEqual((user ?? "").utf8) } == true
      }
      guard let other = next?.first else { continue }
      if other != token { returns = true }
      if other != token, end?.isOfGateway == false, let life = recording.tokens[token]?.ends,
        let began = recording.began
      {
        leads.append(life - began - over)
      }
      let place = story.units.lastIndex { !$0.isOfClient }
      let final = place.map { story.units[$0] }
      let isLast = final.map { last[$0.shape] ?? 0 <= stories.count && story.units.last?.isOfClient == false } == true
      if other != token, isLast, let final, !final.isOnlyPing, story.accepted != nil, story.accepted != place,
        !goodbyes.contains(where: { $0.shape.utf8.elementsEqual(final.shape.utf8) })
      {
        goodbyes.append(final)
      }
      guard let end, end.isOfGateway, (1_000...4_999).contains(end.code),
        ![1_004, 1_005, 1_006, 1_015].contains(end.code)
      else {
        continue
      }
      if other == token { kept[end.code, default: 0] += 1 } else { renewed[end.code, default: 0] += 1 }
    }
  }

  /// How long before the end of a token clients left for another one: the median, in whole seconds if there are some. Nil if
  /// the gateway ended connections, or if clients left after the end.
  var lead: String? {
    guard renewed.isEmpty, goodbyes.isEmpty, !leads.isEmpty else { return nil }
    let median = leads.sorted()[leads.count / 2]
    guard median > 0 else { return nil }
    return median < 1_000 ? "\(median)ms" : "\(median / 1_000)s"
  }

  /// The code after which clients came back with another token most often.
  var renewingCode: Int? { renewed.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key }

  /// Returns the member of the description.
  ///
  /// - Parameters:
  ///   - isHAR: Whether the recording is a HAR file.
  ///   - refusals: What clients did after refused requests that were to renew, by status.
  func member(isHAR: Bool, _ refusals: [Int: DraftRefusals]) -> [String] {
    let codes = Set(renewed.keys).union(kept.keys).sorted().map { code in
      Self.rule("\"code\": \(code)", renewed[code, default: 0], kept[code, default: 0])
    }
    let statuses = refusals.filter { (300...599).contains($0.key) }.sorted { $0.key < $1.key }.map { status, refusal in
      Self.rule("\"http\": \(status), \"during\": \"refreshing\"", refusal.renewed, refusal.kept)
    }
    let rules = (isHAR ? [] : codes) + statuses
    let note =
      isHAR ? ["// A HAR file has no close codes and no pings: \"ends\" and \"keep_alive\" are yours to add."] : []
    return note + (rules.isEmpty ? [] : ["\"ends\": ["] + rules + ["],"])
  }

  private static func rule(_ end: String, _ renewed: Int, _ kept: Int) -> String {
    "  { \(end), \"then\": \"\(renewed >= kept ? "renew" : "retry")\" }, "
      + "// \(renewed) times with another token, \(kept) times with the same"
  }
}
