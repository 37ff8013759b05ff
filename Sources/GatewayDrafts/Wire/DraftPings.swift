/// The messages by which gateway and client show that they live.
struct DraftPings {
  private(set) var ofGateway: (ping: DraftUnit, answer: DraftUnit, every: Int64)?
  private(set) var ofClient: (ping: DraftUnit, answer: DraftUnit)?

  /// The latest answer to a ping, in milliseconds.
  private static let answerMax: Int64 = 2_000
  private static let everyDefault: Int64 = 25
  private static let words = ["2", "PING", "{}", "ping", "heartbeat"]

  init?(_ stories: [DraftStory], _ tokens: Set<String>) {
    // The last message before a close is often a goodbye that an unanswered ping happens to stand before.
    find(stories, tokens, beforeLast: true)
    find(stories, tokens, beforeLast: false)
    if ofGateway == nil, ofClient == nil { return nil }
  }

  private mutating func find(_ stories: [DraftStory], _ tokens: Set<String>, beforeLast: Bool) {
    for story in stories {
      guard let accepted = story.accepted else { continue }
      for index in story.units.indices.dropLast(beforeLast ? 2 : 1) where index > accepted {
        let (unit, next) = (story.units[index], story.units[index + 1])
        guard unit.isOfClient != next.isOfClient, next.at - unit.at <= Self.answerMax, Self.isPing(unit),
          next.name(among: tokens) == nil, !next.isError
        else { continue }
        if unit.isOfClient {
          guard ofClient == nil, unit.number == nil || next.answers(unit) else { continue }
          ofClient = (unit, next)
        } else if ofGateway == nil {
          let same = story.units.filter { !$0.isOfClient && $0.text.utf8.elementsEqual(unit.text.utf8) }.map(\.at)
          let gaps = zip(same, same.dropFirst()).map { $1 - $0 }.sorted()
          let every = gaps.isEmpty ? Self.everyDefault : max(1, gaps[gaps.count / 2] / 1_000)
          ofGateway = (unit, next, every)
        }
      }
    }
  }

  private static func isPing(_ unit: DraftUnit) -> Bool {
    if words.contains(where: { $0.utf8.elementsEqual(unit.text.utf8) }) { return true }
    return unit.marks.contains { mark in
      ["\"ping\"", "\"heartbeat\"", "\"PING\""].contains { $0.utf8.elementsEqual((mark.value ?? "").utf8) }
    }
  }
}
