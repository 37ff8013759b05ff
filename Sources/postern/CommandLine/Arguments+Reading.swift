import GatewayCore
import GatewayKit

// The sources of flags: the command line, the environment and a file.

extension Arguments {
  /// Reads the command line, then the environment, then the configuration file; the first source that names a flag wins.
  ///
  /// An unknown flag is looked up in `commands`, so that the error can name the commands that have it.
  init(
    _ words: [String], flags: [Flag], environment: [String: String], operands allowed: Bool,
    among commands: [any Command.Type]
  ) throws {
    self.init(flags: flags + FlagSection.everywhere.flags)
    try readWords(words, operandsAllowed: allowed, among: commands)
    try readVariables(EnvironmentVariables.ours(environment), flags: flags, among: commands)
    if let file = given[FlagSection.config.name]?.last {
      try readFile(file.text, of: file.source, isOwn: true, among: commands)
    } else if let path = environment[FlagSection.config.environmentName] {
      try readFile(path, of: FlagSection.config.environmentName, isOwn: false, among: commands)
    }
  }

  private mutating func readVariables(
    _ variables: [String: String], flags: [Flag], among commands: [any Command.Type]
  ) throws {
    var unread = variables
    unread[FlagSection.config.environmentName] = nil
    guard !unread.isEmpty else { return }
    for flag in flags {
      let name = flag.environmentName
      guard let text = unread.removeValue(forKey: name), given[flag.name] == nil else { continue }
      let texts = flag.repeats ? text.split(separator: ",").map(String.init) : [text]
      given[flag.name] = texts.map { Value(text: $0, source: name) }
    }
    try EnvironmentVariables.check(unread, flags: flags, among: commands)
  }

  private mutating func readWords(
    _ words: [String], operandsAllowed: Bool, among commands: [any Command.Type]
  ) throws {
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
      guard let flag = flags[name] else { throw unknown(String(parts[0]), among: commands) }
      guard given[name] == nil || flag.repeats else { throw UsageError("--\(name) is given twice") }
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
      given[name, default: []].append(Value(text: text, source: "--\(name)"))
    }
    if !operandsAllowed, let first = operands.first {
      throw UsageError("'\(first)' is unexpected: this command takes flags only")
    }
  }

  private func unknown(_ word: String, among commands: [any Command.Type]) -> UsageError {
    let name = String(word.drop { $0 == "-" })
    let own = FlagSynonyms.own(for: name, among: flags.keys).map { [$0] }
    if flags[name] == nil, let owners = commands.owners(of: name) {
      // E.g. `ctl conform --journal`: `serve` has that flag, and this command has `--journals`.
      let near = (own ?? Suggestion.near(name, among: flags.keys, slips: 1)).map { "--\($0)" }
      return UsageError("\(word): no flag of this command, but of \(owners)" + Suggestion.question(near))
    }
    let near = (own ?? Suggestion.near(name, among: flags.keys)).map { "--\($0)" }
    return UsageError("\(word): no such flag" + Suggestion.question(near))
  }

  /// Reads the flags of a configuration file.
  ///
  /// - Parameter isOwn: Whether the file belongs to this command alone. A file that the environment names may serve several
  ///   commands, and may hold flags of the others.
  private mutating func readFile(
    _ path: String, of source: String, isOwn: Bool, among commands: [any Command.Type]
  ) throws {
    for entry in try ConfigurationFile.read(path, of: source) {
      let place = "\(path):\(entry.place)"
      guard let flag = flags[entry.key], !FlagSection.everywhere.flags.contains(where: { $0.name == entry.key }) else {
        if !isOwn, commands.owners(of: entry.key) != nil { continue }
        throw unknownKey(entry.key, at: place, among: commands)
      }
      guard flag.repeats || !entry.isArray else {
        throw UsageError("\(place): '\(entry.key)' takes one value, no array")
      }
      if given[entry.key] == nil {
        given[entry.key] = entry.values.map { Value(text: $0.text, source: "\(path):\($0.place): \(entry.key)") }
      }
    }
  }

  /// Adds to the error the places of the flags it names, unless they come from the command line. A place is a file with line
  /// and column, or a variable.
  func located(_ error: UsageError) -> UsageError {
    let words = error.description.split { !$0.isLetter && !$0.isNumber && $0 != "-" }
    let named = words.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
    let places = Set(named).sorted().compactMap { name -> String? in
      guard let source = given[name]?.last?.source, source != "--\(name)", !error.description.contains(bytesOf: source)
      else {
        return nil
      }
      let place = source.hasSuffix(": \(name)") ? String(source.dropLast(name.count + 2)) : source
      return "(--\(name) is set by \(place))"
    }
    return UsageError(([error.description] + places).joined(separator: "\n"))
  }

  private func unknownKey(_ key: String, at place: String, among commands: [any Command.Type]) -> UsageError {
    if flags[key] != nil { return UsageError("\(place): '\(key)' may not stand in a file of flags") }
    let own = FlagSynonyms.own(for: key, among: flags.keys).map { [$0] }
    if let owners = commands.owners(of: key) {
      return UsageError(
        "\(place): '\(key)' is no flag of this command, but of \(owners)"
          + Suggestion.question((own ?? []).map { "'\($0)'" }))
    }
    let keys = Set(flags.keys).subtracting(FlagSection.everywhere.flags.map(\.name))
    let near = (own ?? Suggestion.near(String(key.drop { $0 == "-" }), among: keys)).map { "'\($0)'" }
    return UsageError(
      "\(place): '\(key)': no such key"
        + (near.isEmpty ? "; the keys are the flags' names without dashes" : Suggestion.question(near)))
  }
}
