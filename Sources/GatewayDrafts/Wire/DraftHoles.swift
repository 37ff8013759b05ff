internal import GatewayCore

/// The holes that a draft puts in the place of values: the token, the user, ids and lives.
struct DraftHoles {
  private let recording: Recording
  private let main: DraftStory
  private let tokens: Set<String>
  private let user: String?

  /// How far a told life may be from the token's, in milliseconds.
  private static let lifeError: Int64 = 5_000
  private static let lifeErrorMin: Int64 = 1_000
  /// The shortest life that a number without a telling name is compared with, in milliseconds.
  private static let unnamedMin: Int64 = 10_000
  /// A shorter user's name is found only where it is the whole text.
  private static let userMin = 3
  static let lifeWords = ["ttl", "expires", "expires_in", "expiresin", "expiry", "life", "exp"]

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
  func answer(
    _ unit: DraftUnit, id: (pointer: String, hole: String)?, tellsLife: Bool, naming place: String? = nil
  ) -> String {
    let life = tellsLife ? life(in: unit) : nil
    return message(unit, strange: "{{connection}}") { pointer, _ in
      if let id, id.pointer == pointer { return id.hole }
      if place == pointer { return "{{connection}}" }
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

  /// Returns where a message of the gateway tells how long the token lives: the name to take it by, and the hole for it. A
  /// member with the name of a life comes first.
  func life(in unit: DraftUnit) -> (name: String, pointer: String, hole: String?)? {
    guard let json = unit.json else { return nil }
    // The order counts: a message and its answer may have the same time.
    let before = main.units.prefix { $0.at != unit.at || !$0.text.utf8.elementsEqual(unit.text.utf8) }
    let shown = before.filter(\.isOfClient).compactMap { $0.name(among: tokens) }
    // A pushed token comes with its own life.
    let pushed = main.pushes.first { push in
      let place = main.units[push.index]
      return place.at == unit.at && place.text.utf8.elementsEqual(unit.text.utf8)
    }
    let token = (pushed?.token ?? shown.last ?? main.first).flatMap { recording.tokens[$0] }
    return Self.life(in: json, besides: Self.marks(of: unit), of: token, at: recording.began.map { $0 + unit.at })
  }

  private static func marks(of unit: DraftUnit) -> [String] {
    unit.marks.map(\.pointer) + [unit.number?.pointer].compactMap { $0 }
  }

  /// Returns where JSON tells how long a token lives: the name to take it by, and the hole for it.
  ///
  /// - Parameters:
  ///   - json: A message of the gateway, or an answer over HTTP.
  ///   - marks: The pointers of numbers that tell nothing of it.
  ///   - token: The token; nil if it is not known.
  ///   - now: When it was told, in milliseconds since 1970.
  static func life(
    in json: JSONTree, besides marks: [String], of token: Recording.Token?, at now: Int64?
  ) -> (name: String, pointer: String, hole: String?)? {
    var (named, fitting): ((String, String, String?)?, (String, String, String?)?)
    _ = json.mapped { pointer, value in
      guard case .number(let text) = value, !marks.contains(pointer), let number = Recording.time(Double(text)) else {
        return value
      }
      let place = pointer.lowercased()
      let isNamed =
        lifeWords.contains { place.hasSuffix($0) }
        || place.hasSuffix("_ms") && lifeWords.contains { place.contains(bytesOf: $0) }
      guard (isNamed ? named : fitting) == nil, let found = life(number, token, now, isNamed: isNamed) else {
        return value
      }
      if isNamed { named = (found.name, pointer, found.hole) } else { fitting = (found.name, pointer, found.hole) }
      return value
    }
    return (named ?? fitting).map { (name: $0.0, pointer: $0.1, hole: $0.2) }
  }

  /// Returns what a number tells of a token: how long it lives, or its end; nil if it tells nothing of it. A gateway on a busy
  /// machine has counted the life before the time of the message, so a named number may be anything up to the whole life.
  private static func life(
    _ number: Int64, _ token: Recording.Token?, _ now: Int64?, isNamed: Bool
  ) -> (name: String, hole: String?)? {
    let seconds: (name: String, hole: String?) = ("life_s", "{{life_s:number}}")
    guard let end = token?.ends, let now else { return isNamed && number > 0 ? seconds : nil }
    let left = end - now
    let error = max(lifeErrorMin, min(lifeError, left / 10))
    let product = number.clampedProduct(1_000)
    if abs(product - end) <= 1_000 { return ("end_s", "{{end_s:number}}") }
    if abs(number - end) <= 1_000 { return ("end_ms", "{{end_ms:number}}") }
    // Small numbers are often near a short life by chance.
    guard number > 0, isNamed || left >= unnamedMin else { return nil }
    if abs(product - left) <= error { return seconds }
    if number > 1_000, abs(number - left) <= error { return ("life_ms", nil) }
    guard isNamed, let whole = token?.issued.map({ end - $0 + error }) else { return nil }
    if (1...whole).contains(product) { return seconds }
    return number > 1_000 && number <= whole ? ("life_ms", nil) : nil
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

  /// How long before the end of a token it was renewed without a message: the median in whole seconds. It is 10 % if that is not
  /// known or below a second, and 50 % if more than half of the token's life was left.
  func lead(of renewals: [(at: Int64, old: String?)]) -> String {
    let leads = renewals.compactMap { renewal -> (left: Int64, isEarly: Bool)? in
      guard let token = renewal.old.flatMap({ recording.tokens[$0] }), let end = token.ends, let began = recording.began
      else { return nil }
      let left = max(0, end - began - renewal.at)
      return (left / 1_000, token.issued.map { left > (end - $0) / 2 } ?? false)
    }.sorted { $0.left < $1.left }
    guard !leads.isEmpty, leads[leads.count / 2].left > 0 else { return "10%" }
    return leads[leads.count / 2].isEarly ? "50%" : "\(leads[leads.count / 2].left)s"
  }
}

extension DraftStory {
  /// How long past the end of its first token the renewed connection lived, in milliseconds; nil if it did not, or if that is
  /// not known.
  func survival(_ recording: Recording) -> Int64? {
    guard let renewal = renewals.first, let began = recording.began,
      let end = first.flatMap({ recording.tokens[$0]?.ends })
    else { return nil }
    let last = max(connection.end?.at ?? 0, units.last?.at ?? units[renewal.said].at)
    return began + last > end ? began + last - end : nil
  }
}

extension Int64 {
  /// The product, or the largest number.
  func clampedProduct(_ factor: Int64) -> Int64 {
    let (product, isTooLarge) = multipliedReportingOverflow(by: factor)
    return isTooLarge ? .max / 4 : Swift.max(.min / 4, Swift.min(.max / 4, product))
  }
}
