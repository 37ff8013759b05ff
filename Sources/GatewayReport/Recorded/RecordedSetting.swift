/// A part of a storm's plan in a report: a value, or an object of such parts.
indirect enum RecordedSetting: Decodable {
  case value(String)
  case object([String: RecordedSetting])

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.singleValueContainer().decode([String: RecordedSetting].self) {
      self = .object(members)
      return
    }
    if let items = try? decoder.singleValueContainer().decode([RecordedSetting].self) {
      self = .object(Dictionary(uniqueKeysWithValues: items.enumerated().map { (String($0.offset), $0.element) }))
      return
    }
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .value("\(flag)")
    } else if let number = try? container.decode(Double.self) {
      self = .value(number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)")
    } else {
      self = .value((try? container.decode(String.self)) ?? "nothing")
    }
  }

  /// The settings by their paths, e.g. `gateway.lead`.
  var settings: [String: String] {
    guard case .object(let members) = self else { return [:] }
    var settings: [String: String] = [:]
    for (name, member) in members {
      switch member {
      case .value(let text): settings[name] = text
      case .object: for (path, text) in member.settings { settings["\(name).\(path)"] = text }
      }
    }
    return settings
  }
}
