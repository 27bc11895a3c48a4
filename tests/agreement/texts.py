"""Texts in several languages, of one to some hundred tokens: what embeddings.py compares vectors of."""

SENTENCES = [
    "The train to the coast leaves at seven in the morning.",
    "She closed the window because the rain had begun.",
    "Der Zug fährt um sieben Uhr morgens an die Küste.",
    "Wer früh aufsteht, sieht die Berge im ersten Licht.",
    "Le musée est fermé le lundi, sauf en été.",
    "Ils ont planté trois pommiers derrière la maison.",
    "¿A qué hora abre la biblioteca los domingos?",
    "El perro duerme al sol toda la tarde.",
    "Il mercato del pesce comincia prima dell'alba.",
    "Quanto costa un biglietto per Palermo?",
    "O café daquela rua serve o melhor bolo da cidade.",
    "Поезд до моря уходит в семь часов утра.",
    "Ночью выпал снег, и дети побежали на двор.",
    "Książka leży na stole obok okna.",
    "Tren sabah yedide kıyıya doğru kalkıyor.",
    "图书馆星期天几点开门？",
    "下雪以后，孩子们都跑到院子里去了。",
    "電車は朝七時に海岸へ出発します。",
    "비가 오기 시작해서 그녀는 창문을 닫았다.",
    "القطار إلى الساحل يغادر في السابعة صباحا.",
    "ट्रेन सुबह सात बजे तट के लिए रवाना होती है।",
    "รถไฟไปชายฝั่งออกตอนเจ็ดโมงเช้า",
    "Numbers such as 3.14159, 2^10 = 1024 and 50% are tokens, too.",
    "e-mail: someone@example.org; see https://example.org/a?b=c#d",
    "😀 two words",
    "a",
]  # fmt: skip


def texts(count: int) -> list[str]:
    """Of one sentence, then of several: their lengths are unequal from one to the next."""
    result = []
    for i in range(count):
        sentences = 1 if i < len(SENTENCES) else 1 + i * 7 % 6
        result.append(" ".join(SENTENCES[(i * 5 + n * 3 + i // len(SENTENCES)) % len(SENTENCES)] for n in range(sentences)))
    return result
