/// The holes that a draft puts in the place of values: the token, the user, ids and lives.
struct DraftHoles {
  private let recording: Recording
  private let main: DraftStory
  private let tokens: Set<String>
  private let user: String?

  /// How far a told life may be from the token's, in milliseconds.
  private static let lifeError: Int64 = 5_000
  private static let lifeErrorMin: Int64 = 1_000
  /// A shorter user's name is found only where it is the whole text.
  private static let userMin = 3
  private static let lifeWords = ["ttl", "expires", "expiry", "life", "exp"]

  init(_ recording: Recording, _ main: DraftStory, _ tokens: Set<String>) {
    (self.recording, self.main, self.tokens) = (recording, main, tokens)
    let name = main.units.lazy.compactMap { $0.isOfClient ? $0.name(among: tokens) : nil }.first ?? main.first
    user = name.flatMap { recording.tokens[$0]?.user }
  }

  // MARK: Texts

  /// Returns a part of an address or a field with holes.
  func address(_ text: String) -> String { holed(text, strange: "{{random}}") }

  private func holed(_ text: String, strange: String) -> String {
    if let user, user.utf8.elementsEqual(text.utf8) { return "{{user}}" }
    var (output, index) = ([UInt8](), 0)
    let bytes = Array(DraftText.withoutSecrets(text).utf8)
    while index < bytes.count {
      if DraftText.isOfName(bytes[index]), index == 0 || !DraftText.isOfName(bytes[index - 1]) {
        let end = bytes[index...].firstIndex { !DraftText.isOfName($0) } ?? bytes.endIndex
        let word = String(decoding: bytes[index..<end], as: UTF8.self)
        let isToken = tokens.contains(word)
        if isToken || DraftText.isName(word[...]) {
          output += (isToken ? "{{token}}" : strange).utf8
          index = end
          continue
        }
      }
      if let end = end(ofUserAt: index, bytes) {
        output += "{{user}}".utf8
        index = end
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the index after the user's name if it begins there, alone or between other characters than letters and digits.
  private func end(ofUserAt start: Int, _ bytes: [UInt8]) -> Int? {
    guard let user, user.utf8.count >= Self.userMin, bytes[start...].starts(with: user.utf8) else { return nil }
    let end = start + user.utf8.count
    guard start == 0 || !DraftText.isLetterOrDigit(bytes[start - 1]) else { return nil }
    return end == bytes.count || !DraftText.isLetterOrDigit(bytes[end]) ? end : nil
  }

  // MARK: Messages

  /// Returns a message of the gateway for the description. If it `tellsLife`, a number that fits the token's end is a hole.
  func answer(_ unit: DraftUnit, id: (pointer: String, hole: String)?, tellsLife: Bool) -> String {
    let life = tellsLife ? life(in: unit) : nil
    return message(unit, strange: "{{connection}}") { pointer, _ in
      if let id, id.pointer == pointer { return id.hole }
      return life?.pointer == pointer ? life?.hole : nil
    }
  }

  /// Returns a message of the client for the description, with what tells it from `others`.
  func request(_ unit: DraftUnit, unlike others: [DraftUnit] = []) -> String {
    let own = unit.number
    let filled = message(unit, strange: "{{random}}") { pointer, value in
      guard let own, own.pointer == pointer else { return nil }
      if case .number = value { return "{{id:number}}" }
      return "{{id}}"
    }
    let marks = unit.marks.filter { !$0.pointer.isEmpty }
    var known = marks.map { "\(JSONTree.quoted($0.pointer)): \($0.value ?? "{ \"exists\": true }")" }
    let absent = others.flatMap { other in other.marks.filter { !$0.pointer.isEmpty && !unit.has($0.pointer) } }
    for pointer in Set(absent.map(\.pointer)).sorted() where !known.isEmpty {
      known.append("\(JSONTree.quoted(pointer)): { \"exists\": false }")
    }
    return known.isEmpty ? filled : "\(filled.dropLast(2)), \"known_by\": { \(known.joined(separator: ", ")) } }"
  }

  private func message(_ unit: DraftUnit, strange: String, _ hole: (String, JSONTree) -> String?) -> String {
    guard let json = unit.json else {
      return "{ \"text\": \(JSONTree.quoted(holed(unit.text, strange: strange))) }"
    }
    let filled = json.mapped { pointer, value in
      if let hole = hole(pointer, value) { return .string(hole) }
      if case .string(let text) = value { return .string(holed(text, strange: strange)) }
      return value
    }
    var parts = unit.prefix.isEmpty ? [] : ["\"prefix\": \(JSONTree.quoted(unit.prefix))"]
    parts.append("\"json\": \(filled.text)")
    return "{ \(parts.joined(separator: ", ")) }"
  }

  // MARK: Lives

  /// Returns where a message of the gateway tells how long the token lives: the name to take it by, and the hole for it.
  func life(in unit: DraftUnit) -> (name: String, pointer: String, hole: String?)? {
    guard let json = unit.json else { return nil }
    let marks = unit.marks.map(\.pointer)
    // The order counts: a message and its answer may have the same time.
    let before = main.units.prefix { $0.at != unit.at || !$0.text.utf8.elementsEqual(unit.text.utf8) }
    let shown = before.filter(\.isOfClient).compactMap { $0.name(among: tokens) }
    let ends = shown.last ?? main.first
    let end = ends.flatMap { recording.tokens[$0]?.ends }
    let now = recording.began.map { $0 + unit.at }
    var found: (name: String, pointer: String, hole: String?)?
    _ = json.mapped { pointer, value in
      guard found == nil, case .number(let text) = value, !marks.contains(pointer),
        let number = Recording.time(Double(text))
      else {
        return value
      }
      if let end, let now {
        let left = end - now
        let error = max(Self.lifeErrorMin, min(Self.lifeError, left / 10))
        if number > 0, abs(number.clampedProduct(1_000) - left) <= error {
          found = ("life_s", pointer, "{{life_s:number}}")
        } else if abs(number - left) <= error, number > 1_000 {
          found = ("life_ms", pointer, nil)
        } else if abs(number.clampedProduct(1_000) - end) <= 1_000 {
          found = ("end_s", pointer, "{{end_s:number}}")
        } else if abs(number - end) <= 1_000 {
          found = ("end_ms", pointer, "{{end_ms:number}}")
        }
      } else if number > 0, Self.lifeWords.contains(where: { pointer.lowercased().hasSuffix($0) }) {
        found = ("life_s", pointer, "{{life_s:number}}")
      }
      return value
    }
    return found
  }

  /// How long before the end of a token clients renewed it: the median in whole seconds, or 10 % if that is not known
  /// or below a second.
  var lead: String {
    var (leads, token): ([Int64], String?) = ([], main.first)
    for renewal in main.renewals {
      let unit = main.units[renewal.said]
      if let end = token.flatMap({ recording.tokens[$0]?.ends }), let began = recording.began {
        leads.append(max(0, (end - began - unit.at) / 1_000))
      }
      token = unit.name(among: tokens)
    }
    let median = leads.isEmpty ? 0 : leads.sorted()[leads.count / 2]
    return median == 0 ? "10%" : "\(median)s"
  }
}

extension DraftHoles {
  /// How long past the end of its first token the renewed connection lived, in whole seconds; nil if that is not known.
  var survival: Int64? {
    guard let renewal = main.renewals.first, let began = recording.began,
      let end = main.first.flatMap({ recording.tokens[$0]?.ends })
    else { return nil }
    let last = max(main.connection.end?.at ?? 0, main.units.last?.at ?? main.units[renewal.said].at)
    return (began + last - end) / 1_000
  }
}

extension Int64 {
  /// The product, or the largest number.
  func clampedProduct(_ factor: Int64) -> Int64 {
    let (product, isTooLarge) = multipliedReportingOverflow(by: factor)
    return isTooLarge ? .max / 4 : Swift.max(.min / 4, Swift.min(.max / 4, product))
  }
}
