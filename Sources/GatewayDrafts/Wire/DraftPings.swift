/// The messages by which gateway and client show that they live.
struct DraftPings {
  private(set) var ofGateway: (ping: DraftUnit, answer: DraftUnit, every: Int64)?
  private(set) var ofClient: (ping: DraftUnit, answer: DraftUnit)?

  /// The latest answer to a ping, in milliseconds.
  private static let answerMax: Int64 = 2_000
  private static let everyDefault: Int64 = 25
  /// How many messages after a ping are searched for its answer, and how many kinds of pairs are counted.
  private static let answersMax = 16
  private static let pairsMax = 1_000

  /// A ping with the next message of the other side.
  private struct Pair {
    let ping: DraftUnit
    let answer: DraftUnit
    var count = 1
  }

  init?(_ stories: [DraftStory], _ tokens: Set<String>) {
    // The last message before a close is often a goodbye that an unanswered ping happens to stand before.
    for beforeLast in [true, false] {
      let pairs = Self.pairs(stories, tokens, beforeLast: beforeLast)
      if ofClient == nil, let pair = Self.usual(pairs, isOfClient: true) { ofClient = (pair.ping, pair.answer) }
      if ofGateway == nil, let pair = Self.usual(pairs, isOfClient: false) {
        ofGateway = (pair.ping, pair.answer, Self.every(pair.ping, stories))
      }
    }
    if ofGateway == nil, ofClient == nil { return nil }
  }

  /// Returns the pair of that side which comes most often, the first of several. Other messages come between a ping and its
  /// answer only now and then.
  private static func usual(_ pairs: [Pair], isOfClient: Bool) -> Pair? {
    pairs.filter { $0.ping.isOfClient == isOfClient }.reduce(nil) { best, pair in
      pair.count > best?.count ?? 0 ? pair : best
    }
  }

  private static func pairs(_ stories: [DraftStory], _ tokens: Set<String>, beforeLast: Bool) -> [Pair] {
    var (pairs, places): ([Pair], [String: Int]) = ([], [:])
    for story in stories {
      guard let accepted = story.accepted else { continue }
      let end = story.units.count - (beforeLast ? 1 : 0)
      for index in story.units.indices where index > accepted && index + 1 < end && story.units[index].isPing {
        let ping = story.units[index]
        let later = story.units[(index + 1)..<end].prefix(answersMax)
        guard let answer = later.first(where: { $0.isOfClient != ping.isOfClient }), answer.at - ping.at <= answerMax,
          answer.name(among: tokens) == nil, !answer.isError,
          !ping.isOfClient || ping.number == nil || answer.answers(ping)
        else { continue }
        let key = "\(ping.isOfClient) \(ping.shape)\n\(answer.shape)"
        if let place = places[key] {
          pairs[place].count += 1
        } else if pairs.count < pairsMax {
          places[key] = pairs.count
          pairs.append(Pair(ping: ping, answer: answer))
        }
      }
    }
    return pairs
  }

  /// Returns the usual time between two pings of the gateway, in whole seconds.
  private static func every(_ ping: DraftUnit, _ stories: [DraftStory]) -> Int64 {
    let gaps = stories.flatMap { story in
      let times = story.units.filter { !$0.isOfClient && $0.text.utf8.elementsEqual(ping.text.utf8) }.map(\.at)
      return zip(times, times.dropFirst()).map { $1 - $0 }
    }.sorted()
    return gaps.isEmpty ? everyDefault : max(1, (gaps[gaps.count / 2] + 500) / 1_000)
  }
}
