import GatewayCore
import Testing

@Suite("Escaping")
struct EscapingTests {
  @Test("writes what means something in a page or a label in another way, and leaves the rest")
  func words() {
    #expect(Escaping.markup(#"<a b="c" d='e'> & é"#) == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt; &amp; é")
    #expect(Escaping.label("a \"b\" \\ c\nd <") == #"a \"b\" \\ c\nd <"#)
    #expect(Escaping.markup("") == "" && Escaping.label("plain") == "plain")
  }

  @Test("is not led astray by what makes one character of two")
  func combining() {
    #expect(
      Escaping.markup("\"\u{301}<\u{338}").unicodeScalars.elementsEqual("&quot;\u{301}&lt;\u{338}".unicodeScalars))
    #expect(Escaping.label("a\r\nb\"\u{301}").unicodeScalars.elementsEqual("a\r\\nb\\\"\u{301}".unicodeScalars))
  }
}
