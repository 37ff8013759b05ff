import GatewayJSON
import Testing

struct FieldsTests {
  struct Told: Error, Equatable {
    let fault: FieldFault
    let path: String
  }

  /// Error messages that count characters.
  enum TestWords: FieldWords {
    static func length(of text: String) -> Int { text.unicodeScalars.count }
    static func failure(_ fault: FieldFault, _ name: String, path: String) -> Told { Told(fault: fault, path: path) }
  }

  private func fields(_ text: String) throws -> Fields<TestWords> {
    try #require(Fields<TestWords>(try JSONDocument.parse(text).root))
  }

  private func fault(_ body: () throws -> Void) -> Told? {
    do {
      try body()
      return nil
    } catch {
      return error as? Told
    }
  }

  @Test
  func `members are read by their type, and null counts as absent`() throws {
    let fields = try fields(
      #"{"s":"grün","n":-7,"b":false,"a":[1,"x"],"t":["x","y"],"o":{"k":"v"},"l":[{"i":1},{"i":2}],"z":null}"#)
    #expect(try fields.string("s", max: 4) == "grün" && fields.requiredString("s", max: 4) == "grün")
    #expect(try fields.integer("n") == -7 && fields.integer("n", in: -7...0) == -7 && fields.bool("b") == false)
    #expect(try fields.array("a", count: 2)?.count == 2 && fields.strings("t", count: 2, max: 1) == ["x", "y"])
    #expect(try fields.object("o")?.string("k", max: 1) == "v")
    #expect(try fields.objects("l", count: 2) { item throws(Told) in try item.integer("i") } == [1, 2])
    for name in ["z", "absent"] {
      #expect(try fields.string(name, max: 4) == nil && fields.integer(name) == nil && fields.bool(name) == nil)
      #expect(try fields.array(name, count: 1) == nil && fields.strings(name, count: 1) == nil)
      #expect(try fields.object(name) == nil && fields.value(name) == nil)
    }
    #expect(fields.has("z") && !fields.has("absent"))
  }

  @Test
  func `members of another type are refused, with the fault and the path`() throws {
    let fields = try fields(
      #"{"s":"grün","e":"","n":1.0,"i":5,"a":[1,"x"],"o":{"p":{"k":1}},"l":[{"i":true},3]}"#)
    #expect(fault { _ = try fields.string("s", max: 3) } == Told(fault: .tooLong(lengthMax: 3), path: "s"))
    #expect(fault { _ = try fields.string("i", max: 3) } == Told(fault: .notText(lengthMax: 3), path: "i"))
    #expect(fault { _ = try fields.requiredString("x", max: 3) } == Told(fault: .missing, path: "x"))
    #expect(fault { _ = try fields.requiredString("e", max: 3) } == Told(fault: .empty, path: "e"))
    #expect(fault { _ = try fields.bool("i") } == Told(fault: .notFlag, path: "i"))
    #expect(fault { _ = try fields.integer("n", in: 0...9) } == Told(fault: .notInteger(0...9), path: "n"))
    #expect(fault { _ = try fields.integer("i", in: 6...9) } == Told(fault: .notInteger(6...9), path: "i"))
    #expect(fault { _ = try fields.array("s", count: 1) } == Told(fault: .notArray(countMax: 1), path: "s"))
    #expect(fault { _ = try fields.array("a", count: 1) } == Told(fault: .tooMany(countMax: 1), path: "a"))
    #expect(fault { _ = try fields.strings("a", count: 2) } == Told(fault: .notTexts, path: "a"))
    #expect(fault { _ = try fields.object("a") } == Told(fault: .notObject, path: "a"))
    #expect(
      fault { _ = try fields.object("o")?.object("p")?.string("k", max: 9) }
        == Told(fault: .notText(lengthMax: 9), path: "o.p.k"))
    #expect(
      fault { _ = try fields.objects("l", count: 2) { item throws(Told) in try item.integer("i") } }
        == Told(fault: .notInteger(.min ... .max), path: "l.i"))
  }

  @Test
  func `members exist in an object and in no other value`() throws {
    #expect(Fields<TestWords>(try JSONDocument.parse("[]").root) == nil)
  }
}
