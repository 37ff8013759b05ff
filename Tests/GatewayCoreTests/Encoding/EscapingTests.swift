import GatewayCore
import Testing

struct EscapingTests {
  @Test
  func `escaping rewrites what has a meaning in a page or a label, and leaves the rest`() {
    #expect(Escaping.markup(#"<a b="c" d='e'> & é"#) == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt; &amp; é")
    #expect(Escaping.label("a \"b\" \\ c\nd <") == #"a \"b\" \\ c\nd <"#)
    #expect(Escaping.markup("") == "" && Escaping.label("plain") == "plain")
  }

  @Test
  func `escaping works on bytes, even where several bytes are one character`() {
    #expect(
      Escaping.markup("\"\u{301}<\u{338}").unicodeScalars.elementsEqual("&quot;\u{301}&lt;\u{338}".unicodeScalars))
    #expect(Escaping.label("a\r\nb\"\u{301}").unicodeScalars.elementsEqual("a\r\\nb\\\"\u{301}".unicodeScalars))
  }
}
