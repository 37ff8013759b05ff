import GatewayCore

/// The comparison of a journal with its replay: the first difference on each connection, by kinds, order, errors and codes.
struct ReplayComparison {
  /// The differences as text for people.
  let differences: [String]
  /// The number of equal lines.
  let alike: Int

  /// Compares two journals. Connections are matched by their order.
  init(recorded: [ReplayLine], replayed: [ReplayLine]) {
    let (recorded, replayed) = (Self.lives(recorded), Self.lives(replayed))
    var (differences, alike): ([String], Int) = ([], 0)
    for number in 0..<max(recorded.count, replayed.count) {
      let was = number < recorded.count ? recorded[number] : Life()
      let became = number < replayed.count ? replayed[number] : Life()
      let name = was.name ?? became.name ?? "no connection"
      let same = zip(was.lines, became.lines).prefix { $0.repeatable == $1.repeatable }.count
      alike += same
      guard same < max(was.lines.count, became.lines.count) else { continue }
      let (one, other) = (Self.text(was.lines, same), Self.text(became.lines, same))
      let place = same < was.lines.count ? "line \(was.lines[same].n)" : "the end"
      differences.append("\(name), \(place): recorded \(one), replayed \(other)")
    }
    (self.differences, self.alike) = (differences, alike)
  }

  /// Returns a sentence about the recorded HTTP requests, except those for tokens, which are minted again; nil if there
  /// are none.
  ///
  /// Objects that such requests created, e.g. a channel, are missing in the replay.
  static func requests(_ lines: [ReplayLine]) -> String? {
    let routes = lines.filter { $0.isOf("http_answered") }.compactMap(\.route)
    let others = routes.filter { Name($0) != "POST /v1/tokens" }
    guard !others.isEmpty else { return nil }
    let named = Set(others).sorted().prefix(5).joined(separator: ", ")
    return "not played: \(others.count) requests over HTTP, of which a journal has the route alone: \(named)"
  }

  private struct Life {
    var name: String?
    var lines: [ReplayLine] = []
  }

  /// Returns the lines that a replay must repeat, by connection. The first entry has the lines without a connection.
  private static func lives(_ lines: [ReplayLine]) -> [Life] {
    var (lives, places): ([Life], [Name: Int]) = ([Life()], [:])
    for line in lines where line.repeatable != nil {
      guard let connection = line.connection else {
        lives[0].lines.append(line)
        continue
      }
      let place = places[Name(connection)] ?? lives.count
      if place == lives.count {
        lives.append(Life(name: connection))
        places[Name(connection)] = place
      }
      lives[place].lines.append(line)
    }
    return lives
  }

  private static func text(_ lines: [ReplayLine], _ index: Int) -> String {
    index < lines.count ? lines[index].text : "nothing more"
  }
}
