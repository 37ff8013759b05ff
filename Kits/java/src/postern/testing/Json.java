package postern.testing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A parser and writer of JSON as maps, lists, strings and numbers, which the JDK lacks; this kit has no dependencies. */
public final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Reads an object. */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> read(String text) {
    var json = new Json(text);
    var value = json.value();
    json.skipSpace();
    if (json.at != text.length() || !(value instanceof Map)) throw new IllegalArgumentException("no object: " + text);
    return (Map<String, Object>) value;
  }

  /** Writes the values that `read` returns. */
  public static String write(Object value) {
    if (value instanceof Map<?, ?> map) {
      var members = new ArrayList<String>();
      map.forEach((name, member) -> members.add(write(name) + ":" + write(member)));
      return "{" + String.join(",", members) + "}";
    }
    if (value instanceof List<?> list) return "[" + String.join(",", list.stream().map(Json::write).toList()) + "]";
    if (!(value instanceof String string)) return String.valueOf(value);
    var quoted = new StringBuilder("\"");
    for (var c : string.toCharArray()) {
      if (c == '"' || c == '\\') quoted.append('\\').append(c);
      else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
      else quoted.append(c);
    }
    return quoted.append('"').toString();
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at += 1;
  }

  private boolean take(char wanted) {
    skipSpace();
    if (at >= text.length() || text.charAt(at) != wanted) return false;
    at += 1;
    return true;
  }

  private void expect(char wanted) {
    if (!take(wanted)) throw new IllegalArgumentException("no " + wanted + " at " + at + ": " + text);
  }

  private Object value() {
    skipSpace();
    if (take('{')) return object();
    if (take('[')) return array();
    if (take('"')) return string();
    var start = at;
    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at += 1;
    var word = text.substring(start, at);
    if (word.equals("null")) return null;
    if (word.equals("true") || word.equals("false")) return Boolean.valueOf(word);
    return word.matches("-?\\d+") ? (Object) Long.valueOf(word) : (Object) Double.valueOf(word);
  }

  private Map<String, Object> object() {
    var map = new LinkedHashMap<String, Object>();
    if (take('}')) return map;
    do {
      expect('"');
      var name = string();
      expect(':');
      map.put(name, value());
    } while (take(','));
    expect('}');
    return map;
  }

  private List<Object> array() {
    var list = new ArrayList<>();
    if (take(']')) return list;
    do list.add(value());
    while (take(','));
    expect(']');
    return list;
  }

  private String string() {
    var string = new StringBuilder();
    while (text.charAt(at) != '"') {
      var c = text.charAt(at++);
      if (c != '\\') {
        string.append(c);
        continue;
      }
      var escaped = text.charAt(at++);
      switch (escaped) {
        case 'b' -> string.append('\b');
        case 'f' -> string.append('\f');
        case 'n' -> string.append('\n');
        case 'r' -> string.append('\r');
        case 't' -> string.append('\t');
        case 'u' -> {
          string.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        }
        default -> string.append(escaped);
      }
    }
    at += 1;
    return string.toString();
  }
}
