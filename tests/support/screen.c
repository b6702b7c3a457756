/* The screen of a terminal: bytes become characters and control sequences, and these
 * change its cells. */
#include "terminal.h"

void
screen_begin(struct screen *screen, int columns)
{
    assert_in_range(columns, 1, SCREEN_COLUMNS);
    memset(screen, 0, sizeof(*screen));
    screen->columns = columns;
}

/* Moves the cursor down; in the last row the screen scrolls. */
static void
go_down(struct screen *screen)
{
    if (screen->row < SCREEN_ROWS - 1) {
        screen->row++;
        return;
    }
    memmove(screen->cells[0], screen->cells[1],
            sizeof(screen->cells) - sizeof(screen->cells[0]));
    memmove(screen->colors[0], screen->colors[1],
            sizeof(screen->colors) - sizeof(screen->colors[0]));
    memset(screen->cells[SCREEN_ROWS - 1], 0, sizeof(screen->cells[0]));
}

static void
put(struct screen *screen, const char *character)
{
    if (screen->column == screen->columns) {
        screen->wraps++;
        screen->column = 0;
        go_down(screen);
    }
    strcpy(screen->cells[screen->row][screen->column], character);
    screen->colors[screen->row][screen->column] = screen->color;
    screen->column++;
}

/* Returns the column of the cursor, which stays in the last cell when that is filled. */
static int
cell_of(const struct screen *screen)
{
    return screen->column < screen->columns ? screen->column : screen->columns - 1;
}

/* Erases in the line, HOW as in EL of ECMA-48: 0 from the cursor on, 1 up to it, 2 all.
 */
static void
erase(struct screen *screen, int how)
{
    int from = how == 0 ? cell_of(screen) : 0;
    int to = how == 1 ? cell_of(screen) + 1 : screen->columns;
    for (int i = from; i < to; i++)
        screen->cells[screen->row][i][0] = '\0';
}

static void
fail_on(const char *part)
{
    char shown[200] = "";
    for (; *part; part++)
        sprintf(shown + strlen(shown), *part < ' ' ? "\\%03o" : "%c", *part);
    fail_msg("the screen does not know %s", shown);
}

/* Executes a complete sequence: ESC [ NUMBER FINAL. */
static void
obey(struct screen *screen)
{
    char final = screen->part[screen->part_size - 1], more;
    int number = 0, read = sscanf(screen->part, "\033[%d%c%c", &number, &final, &more);
    bool known = screen->part_size == 3 || (read == 2 && screen->part_size < 6);
    if (known && final == 'K' && number <= 2)
        erase(screen, number);
    else if (known && final == 'm' && (number == 0 || number == 39))
        screen->color = 0;
    else if (known && final == 'm' && number >= 30 && number <= 37)
        screen->color = number;
    else
        fail_on(screen->part);
}

/* Returns the length of the character with this first byte; 0: an escape sequence, up to
 * its final byte. */
static int
length_of(char first)
{
    unsigned char byte = (unsigned char)first;
    if (byte == '\033')
        return 0;
    return byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
}

static void
control(struct screen *screen, const char *part)
{
    switch (part[0]) {
    case '\r':
        screen->column = 0;
        break;
    case '\n':
        go_down(screen);
        break;
    case '\b':
        screen->column = cell_of(screen);
        screen->column -= screen->column > 0;
        break;
    default:
        fail_on(part);
    }
}

/* Returns true for a complete character or sequence. */
static bool
is_whole(const char *part, int size)
{
    int length = length_of(part[0]);
    if (length)
        return size == length;
    return size == 2 ? part[1] != '[' : size > 2 && part[size - 1] >= '@';
}

static void
feed_byte(struct screen *screen, char byte)
{
    if (screen->part_size == (int)sizeof(screen->part) - 1)
        fail_on(screen->part);
    screen->part[screen->part_size++] = byte;
    screen->part[screen->part_size] = '\0';
    if (!is_whole(screen->part, screen->part_size))
        return;
    if (screen->part[0] == '\033')
        obey(screen);
    else if ((unsigned char)screen->part[0] < ' ' || screen->part[0] == '\177')
        control(screen, screen->part);
    else
        put(screen, screen->part);
    screen->part_size = 0;
}

void
screen_feed(struct screen *screen, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        feed_byte(screen, bytes[i]);
}

void
screen_resize(struct screen *screen, int columns)
{
    assert_in_range(columns, 1, SCREEN_COLUMNS);
    for (int row = 0; row < SCREEN_ROWS; row++)
        for (int i = columns; i < SCREEN_COLUMNS; i++)
            screen->cells[row][i][0] = '\0';
    screen->columns = columns;
    screen->column = cell_of(screen);
}

/* Returns the number of columns of a row up to its last character. */
static int
used_of(const struct screen *screen, int row)
{
    int used = SCREEN_COLUMNS;
    while (used > 0 && strchr(" ", screen->cells[row][used - 1][0]))
        used--;
    return used;
}

char *
screen_text(const struct screen *screen)
{
    char *text = calloc(1, sizeof(screen->cells)), *end = text;
    int rows = SCREEN_ROWS;
    assert_non_null(text);
    while (rows > 0 && used_of(screen, rows - 1) == 0)
        rows--;
    for (int row = 0; row < rows; row++) {
        int used = used_of(screen, row);
        for (int i = 0; i < used; i++) {
            const char *cell = screen->cells[row][i];
            end = stpcpy(end, cell[0] ? cell : " ");
        }
        end = stpcpy(end, "\n");
    }
    return text;
}

/* Returns true if TEXT stands in a row from a column on; COLOR becomes its colour, -1 for
 * several. */
static bool
is_at(const struct screen *screen, int row, int column, const char *text, int *color)
{
    *color = screen->colors[row][column];
    for (; *text; column++) {
        const char *cell = column < screen->columns ? screen->cells[row][column] : "";
        size_t size = strlen(cell);
        if (size == 0 || strncmp(text, cell, size) != 0)
            return false;
        if (screen->colors[row][column] != *color)
            *color = -1;
        text += size;
    }
    return true;
}

int
screen_color(const struct screen *screen, const char *text)
{
    int color;
    for (int row = 0; row < SCREEN_ROWS; row++)
        for (int column = 0; column < screen->columns; column++)
            if (is_at(screen, row, column, text, &color))
                return color;
    fail_msg("not on the screen: %s", text);
    return -1;
}
