import GatewayJSON
import GatewayWires

// Keys of a scenario file that had another name in the last version. A table has the old name for each new one.

extension Described {
  /// Returns the members. Throws if a key is neither in `names` nor an old name, or if both names of a key are given.
  func object(_ names: [String], former: [String: String]) throws(DescriptionError) -> DescribedObject {
    let object = try object(names + former.values.sorted())
    for (name, old) in former where object[name] != nil {
      if let value = object[old] {
        throw value.error("'\(old)' is the former name of '\(name)', which is given too; remove '\(old)'")
      }
    }
    return object
  }

  /// Returns a sentence for each member that has its old name.
  func notices(of former: [String: String]) -> [String] {
    former.sorted { $0.value < $1.value }.compactMap { name, old in
      value.member(old).map { _ in
        "\(pointer)/\(old): the key is called '\(name)' now; the next version rejects '\(old)'"
      }
    }
  }
}

extension DescribedObject {
  /// Returns the value under a name, or under its old name.
  subscript(_ name: String, former former: [String: String]) -> Described? {
    self[name] ?? former[name].flatMap { self[$0] }
  }
}
