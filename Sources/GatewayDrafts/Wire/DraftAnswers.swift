/// The clients' other messages, besides login, renewal and pings, and the gateway's answers: `hear` of `serve`.
struct DraftAnswers {
  private(set) var members: [String] = []
  private static let membersMax = 32

  init(_ stories: [DraftStory], _ main: DraftStory, _ login: [String], _ holes: DraftHoles) {
    var known = Set(login)
    for renewal in main.renewals { known.insert(main.units[renewal.said].shape) }
    let pings = DraftPings(stories, [])
    for ping in [pings?.ofGateway?.answer, pings?.ofClient?.ping] { if let ping { known.insert(ping.shape) } }
    for story in stories {
      guard let accepted = story.accepted else { continue }
      for (index, unit) in story.units.enumerated() where unit.isOfClient && index > accepted {
        guard members.count < Self.membersMax, known.insert(unit.shape).inserted else { continue }
        members.append(
          Self.member(unit, story.units[(index + 1)...].prefix(DraftStory.answersMax).first { $0.answers(unit) }, holes)
        )
      }
    }
  }

  private static func member(_ unit: DraftUnit, _ answer: DraftUnit?, _ holes: DraftHoles) -> String {
    var parts = ["\"when\": \(unit.when(nil))"]
    if let answer, !answer.isOfClient, let number = unit.number {
      let isNumber = if case .number = number.value { true } else { false }
      let hole = (number.pointer, isNumber ? "{{heard.number:number}}" : "{{heard.number}}")
      parts.append("\"take\": { \"number\": \(JSONTree.quoted(number.pointer)) }")
      parts.append("\"say\": \(holes.answer(answer, id: hole, tellsLife: false))")
    }
    return "{ \(parts.joined(separator: ", ")) }, // line \(unit.line)"
  }
}
