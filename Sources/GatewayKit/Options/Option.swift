/// A flag and the setting that it sets: `--token-life`, for instance, and the life of a token. Its one
/// declaration is the flag, the variable, the key in a file, the line of the help, the check and the effect.
package struct Option<Settings: Sendable>: Sendable {
  package let flag: Flag
  /// Reads the flag, and leaves the settings as they are where it is not given.
  private let take: @Sendable (Arguments, inout Settings) throws -> Void

  private init(_ flag: Flag, _ take: @escaping @Sendable (Arguments, inout Settings) throws -> Void) {
    self.flag = flag
    self.take = take
  }

  /// Sets what the path leads to.
  package init<Value: Sendable>(
    _ name: String, _ value: String, _ help: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
    _ reading: Reading<Value>
  ) {
    self.init(Flag(name, value, help)) { arguments, settings in
      if let value = try reading.read(arguments, name) { settings[keyPath: path] = value }
    }
  }

  /// Sets what the path leads to, where no value is a setting too.
  package init<Value: Sendable>(
    _ name: String, _ value: String, _ help: String, _ path: any WritableKeyPath<Settings, Value?> & Sendable,
    _ reading: Reading<Value>
  ) {
    self.init(Flag(name, value, help)) { arguments, settings in
      if let value = try reading.read(arguments, name) { settings[keyPath: path] = value }
    }
  }

  /// A switch, which sets what the path leads to; to `on` where the switch is on.
  package init(
    _ name: String, _ help: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable, on: Bool = true
  ) {
    self.init(Flag(name, nil, help)) { arguments, settings in
      if arguments.value(name) != nil { settings[keyPath: path] = try arguments.isOn(name) == on }
    }
  }

  /// Has each value of the flag taken by itself, in their order.
  package init(
    _ name: String, _ value: String, _ help: String, repeats: Bool = false,
    take: @escaping @Sendable (Arguments.Value, inout Settings) throws -> Void
  ) {
    self.init(Flag(name, value, help, repeats: repeats)) { arguments, settings in
      for value in arguments.values(name) { try take(value, &settings) }
    }
  }

  /// A flag that is read together with others, by whoever makes the settings.
  package init(_ name: String, _ value: String?, _ help: String, repeats: Bool = false) {
    self.init(Flag(name, value, help, repeats: repeats)) { _, _ in }
  }

  /// The same flag, for settings of which these are a part.
  package func of<Whole>(_ part: any WritableKeyPath<Whole, Settings> & Sendable) -> Option<Whole> {
    Option<Whole>(flag) { [take] arguments, settings in try take(arguments, &settings[keyPath: part]) }
  }

  /// The same flag, for settings of which these are a part that may be missing; to give it then is a mistake,
  /// and `mistake` what is said of the flag.
  package func of<Whole>(
    _ part: any WritableKeyPath<Whole, Settings?> & Sendable, orElse mistake: String
  ) -> Option<Whole> {
    Option<Whole>(flag) { [take, flag] arguments, settings in
      if var value = settings[keyPath: part] {
        try take(arguments, &value)
        settings[keyPath: part] = value
      } else if arguments.value(flag.name) != nil {
        throw UsageError("--\(flag.name) \(mistake)")
      }
    }
  }

  fileprivate func read(_ arguments: Arguments, into settings: inout Settings) throws {
    try take(arguments, &settings)
  }
}

extension Arguments {
  /// Reads the options, in their order.
  package func read<Settings>(_ options: [Option<Settings>], into settings: inout Settings) throws {
    // Of hundreds that there are a few are given.
    for option in options where given[option.flag.name] != nil { try option.read(self, into: &settings) }
  }
}
