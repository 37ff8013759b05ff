/// An object of a description whose members are known by name: `/refresh` with its `how` and its `lead`, for instance.
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

  /// The member of that name, without which the object means nothing; `example` is one that could stand there.
  package func required(_ name: String, example: String) throws(DescriptionError) -> Described {
    guard let member = self[name] else { throw whole.error("lacks \"\(name)\", as \"\(name)\": \(example)") }
    return member
  }
}
