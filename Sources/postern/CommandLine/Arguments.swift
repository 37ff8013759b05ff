/// What a command was asked for: flags by name, from whichever source, and the operands.
struct Arguments {
  /// Where a value came from, named as the user wrote it.
  struct Value {
    let text: String
    let source: String
  }

  private(set) var operands: [String] = []
  private var values: [String: [Value]] = [:]
  private let flags: [String: Flag]

  /// Reads the command line, then the environment, then the configuration file; the first that names a flag wins.
  init(_ words: [String], flags: [Flag], environment: [String: String], operands allowed: Bool) throws {
    self.flags = Dictionary(uniqueKeysWithValues: (flags + FlagSection.everywhere.flags).map { ($0.name, $0) })
    try readWords(words, operandsAllowed: allowed)
    for flag in flags where values[flag.name] == nil {
      guard let text = environment[flag.environmentName], !ServiceLink.isOne(flag.environmentName, text) else {
        continue
      }
      let texts = flag.repeats ? text.split(separator: ",").map(String.init) : [text]
      values[flag.name] = texts.map { Value(text: $0, source: flag.environmentName) }
    }
    try EnvironmentVariables.check(environment, flags: flags)
    if let file = value("config") {
      try readFile(file.text, of: file.source, isOwn: true)
    } else if let path = environment[Flag.config.environmentName] {
      try readFile(path, of: Flag.config.environmentName, isOwn: false)
    }
  }

  private mutating func readWords(_ words: [String], operandsAllowed: Bool) throws {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0] == "-h" ? "help" : parts[0].hasPrefix("--") ? String(parts[0].dropFirst(2)) : ""
      guard let flag = flags[name] else { throw unknown(String(parts[0])) }
      guard values[name] == nil || flag.repeats else { throw UsageError("--\(name) is given twice") }
      let text: String
      if flag.value == nil {
        guard parts.count == 1 else { throw UsageError("--\(name) is a switch and takes no value") }
        text = "true"
      } else if parts.count == 2 {
        text = String(parts[1])
      } else {
        guard let next = rest.popFirst() else { throw UsageError("--\(name) needs a value: \(flag.value!)") }
        text = next
      }
      values[name, default: []].append(Value(text: text, source: "--\(name)"))
    }
    if !operandsAllowed, let first = operands.first {
      throw UsageError("'\(first)' is unexpected: this command takes flags only")
    }
  }

  private func unknown(_ word: String) -> UsageError {
    let name = String(word.drop { $0 == "-" })
    if flags[name] == nil, let owners = Self.owners(of: name) {
      return UsageError("\(word): no flag of this command, but of \(owners)")
    }
    let near = Suggestion.near(name, among: flags.keys).map { "--\($0)" }
    return UsageError("\(word): no such flag" + Suggestion.question(near))
  }

  /// The commands that have the flag; nil if none has.
  private static func owners(of name: String) -> String? {
    let owners = Postern.commands.filter { $0.flags.contains { $0.name == name } }.map { "postern \($0.name)" }
    return owners.isEmpty ? nil : owners.joined(separator: ", ")
  }

  /// - Parameter isOwn: Whether the file is this command's alone. One that the environment names may be meant for several
  ///   commands, and hold flags of the others.
  private mutating func readFile(_ path: String, of source: String, isOwn: Bool) throws {
    for entry in try ConfigurationFile.read(path, of: source) {
      let place = "\(path):\(entry.place)"
      guard let flag = flags[entry.key], !FlagSection.everywhere.flags.contains(where: { $0.name == entry.key }) else {
        if !isOwn, Self.owners(of: entry.key) != nil { continue }
        throw unknownKey(entry.key, at: place)
      }
      guard flag.repeats || !entry.isArray else {
        throw UsageError("\(place): '\(entry.key)' takes one value, no array")
      }
      if values[entry.key] == nil {
        values[entry.key] = entry.values.map { Value(text: $0.text, source: "\(path):\($0.place): \(entry.key)") }
      }
    }
  }

  /// The error, with the places of the flags it names, where they do not come from the command line: the file with line and
  /// column, or the variable.
  func located(_ error: UsageError) -> UsageError {
    let words = error.description.split { !$0.isLetter && !$0.isNumber && $0 != "-" }
    let named = words.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
    let places = Set(named).sorted().compactMap { name -> String? in
      guard let source = values[name]?.last?.source, source != "--\(name)", !error.description.contains(source) else {
        return nil
      }
      let place = source.hasSuffix(": \(name)") ? String(source.dropLast(name.count + 2)) : source
      return "(--\(name) is set by \(place))"
    }
    return UsageError(([error.description] + places).joined(separator: "\n"))
  }

  private func unknownKey(_ key: String, at place: String) -> UsageError {
    if flags[key] != nil { return UsageError("\(place): '\(key)' may not stand in a file of flags") }
    if let owners = Self.owners(of: key) {
      return UsageError("\(place): '\(key)' is no flag of this command, but of \(owners)")
    }
    let keys = Set(flags.keys).subtracting(FlagSection.everywhere.flags.map(\.name))
    let near = Suggestion.near(String(key.drop { $0 == "-" }), among: keys).map { "'\($0)'" }
    return UsageError(
      "\(place): '\(key)': no such key"
        + (near.isEmpty ? "; the keys are the flags' names without dashes" : Suggestion.question(near)))
  }
}

// MARK: - Reading values

extension Arguments {
  /// The last value of the flag, whatever it says.
  func value(_ name: String) -> Value? {
    precondition(flags[name] != nil, "no flag --\(name)")
    return values[name]?.last
  }

  func string(_ name: String) -> String? {
    value(name)?.text
  }

  func strings(_ name: String) -> [String] {
    values[name]?.map(\.text) ?? []
  }

  func values(_ name: String) -> [Value] {
    values[name] ?? []
  }

  func isOn(_ name: String) throws -> Bool {
    guard let value = value(name) else { return false }
    switch value.text.lowercased() {
    case "true", "1", "yes", "on": return true
    case "false", "0", "no", "off": return false
    default: throw UsageError(value.source, value: value.text, expected: "true or false")
    }
  }

  func int(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = Int(value.text), range.contains(number) else {
      throw UsageError(
        value.source, value: value.text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = Double(value.text), range.contains(number) else {
      throw UsageError(
        value.source, value: value.text, expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A share, written `0.1` or `10%`.
  func share(_ name: String) throws -> Double? {
    guard let value = value(name) else { return nil }
    guard let share = Share.parse(value.text) else {
      throw UsageError(value.source, value: value.text, expected: "a share from 0 to 1, or from 0% to 100%")
    }
    return share
  }

  /// A duration with its unit, written `500ms`, `60s`, `10m`, `24h` or `30d`.
  func duration(_ name: String) throws -> Duration? {
    guard let value = value(name) else { return nil }
    guard let duration = DurationText.parse(value.text) else {
      throw UsageError(value.source, value: value.text, expected: "a duration with its unit, as 500ms, 60s, 10m or 24h")
    }
    return duration
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, _: Choice.Type) throws -> Choice? {
    guard let value = value(name) else { return nil }
    guard let choice = Choice(rawValue: value.text) else {
      throw UsageError(
        value.source, value: value.text, expected: Choice.allCases.map(\.rawValue).joined(separator: " or "))
    }
    return choice
  }

  /// The only operand; nil if there is none.
  func operand() throws -> String? {
    guard operands.count <= 1 else { throw UsageError("'\(operands[1])' is unexpected: one operand at most") }
    return operands.first
  }
}
