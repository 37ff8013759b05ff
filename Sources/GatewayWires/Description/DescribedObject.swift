/// An object of a description whose members are known by name.
package struct DescribedObject: Sendable {
  /// The object itself.
  package let whole: Described
  private let members: [(name: String, value: Described)]

  init(whole: Described, members: [(name: String, value: Described)]) {
    self.whole = whole
    self.members = members
  }

  package subscript(_ name: String) -> Described? {
    members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// Returns the member with that name, which must exist; `example` is shown in the error.
  package func required(_ name: String, example: String) throws(DescriptionError) -> Described {
    guard let member = self[name] else { throw whole.error("lacks \"\(name)\", as \"\(name)\": \(example)") }
    return member
  }
}

extension DescribedObject {
  /// Returns the object with members of another one that it lacks, under these names.
  package func adding(_ names: [String], of other: DescribedObject) -> DescribedObject {
    let missing = names.compactMap { name in
      self[name] == nil ? other[name].map { (name: name, value: $0) } : nil
    }
    return DescribedObject(whole: whole, members: members + missing)
  }
}
